//: start

    private fun start(activity: String) {
        // A run before may have left the display dark.
        device.wakeUp()
        shell("am force-stop $PACKAGE")
        check("Success" in shell("pm clear $PACKAGE")) { "cannot clear the data of $PACKAGE; is it installed?" }
        comeBack(activity)
    }
//: pauseAndResume

    private fun pauseAndResume(activity: String) {
        device.pressHome()
        device.wait(Until.gone(By.pkg(PACKAGE).depth(0)), TIMEOUT_MS)
        comeBack(activity)
    }
//: comeBack

    private fun comeBack(activity: String) {
        shell("am start -W -n $PACKAGE/$activity")
        val isThere = device.wait(Until.hasObject(By.pkg(PACKAGE).depth(0)), TIMEOUT_MS)
        assertTrue("$activity does not start", isThere == true)
    }
//: widget

    private fun widget(by: BySelector): UiObject2 =
        checkNotNull(device.wait(Until.findObject(by), TIMEOUT_MS)) { "no such widget: $by" }
//: widgetAmong

    /** The widget with this number, from 0, among those that the selector fits. */
    private fun widgetAmong(by: BySelector, index: Int): UiObject2 {
        var found: UiObject2? = null
        assertHolds("no widget number $index: $by") {
            found = device.findObjects(by).getOrNull(index)
            found != null
        }
        return checkNotNull(found)
    }
//: widgetAt

    /** The widget at a place in the tree: which child of which child, from the top. */
    private fun widgetAt(place: String, className: String): UiObject2 {
        var found: UiObject2? = null
        assertHolds("no $className at $place") {
            val top = device.findObject(By.pkg(PACKAGE).depth(0))
            found = place.split(":").drop(1).fold(top) { widget: UiObject2?, child ->
                widget?.children?.getOrNull(child.toInt())
            }
            found?.className == className
        }
        return checkNotNull(found)
    }
//: tap

    /** Touches a widget so many percent from its left and its top. */
    private fun tap(on: UiObject2, x: Double, y: Double) {
        device.click(on.across(x), on.down(y))
    }
//: longTap

    private fun longTap(on: UiObject2, x: Double, y: Double) {
        // A step takes 5 ms: a swipe that goes nowhere for a second.
        device.swipe(on.across(x), on.down(y), on.across(x), on.down(y), 200)
    }
//: swipe

    private fun swipe(on: UiObject2, fromX: Double, fromY: Double, toX: Double, toY: Double) {
        device.swipe(on.across(fromX), on.down(fromY), on.across(toX), on.down(toY), 60)
    }
//: across

    private fun UiObject2.across(percent: Double): Int = visibleBounds.run {
        (left + (width() * percent / 100).toInt()).coerceAtMost(right - 1)
    }
//: down

    private fun UiObject2.down(percent: Double): Int = visibleBounds.run {
        (top + (height() * percent / 100).toInt()).coerceAtMost(bottom - 1)
    }
//: typeText

    /** Types behind what is in the field that has the focus. */
    private fun typeText(text: String) {
        val field = widget(By.focused(true))
        field.text = field.text.orEmpty() + text
    }
//: goBack

    /** Leaves the screen: a keyboard would take the first press. */
    private fun goBack() {
        if (isKeyboardShown()) device.pressBack()
        device.pressBack()
    }
//: idle

    private fun idle() {
        device.sleep()
        SystemClock.sleep(IDLE_MS)
    }
//: assertSeen

    private fun assertSeen(what: String, by: BySelector) {
        assertTrue(what, device.wait(Until.hasObject(by), TIMEOUT_MS) == true)
    }
//: assertGone

    private fun assertGone(what: String, by: BySelector) {
        assertTrue(what, device.wait(Until.gone(by), TIMEOUT_MS) == true)
    }
//: assertHolds

    private fun assertHolds(what: String, holds: () -> Boolean) {
        val end = SystemClock.uptimeMillis() + TIMEOUT_MS
        while (!holdsNow(holds)) {
            assertTrue(what, SystemClock.uptimeMillis() < end)
            SystemClock.sleep(100)
        }
    }

    private fun holdsNow(holds: () -> Boolean): Boolean = try {
        holds()
    } catch (unknown: RuntimeException) {
        // The screen has changed under the question, or shows nothing yet: neither yes nor no.
        false
    }
//: widgets

    private fun widgets(): List<UiObject2> = device.findObjects(By.pkg(device.currentPackageName))
//: names

    /** A name in full, and what comes after the last of its [separator]s. */
    private fun names(full: String?, separator: Char): List<String> =
        listOf(full.orEmpty(), full.orEmpty().substringAfterLast(separator))
//: number

    private fun String.number(): BigDecimal? =
        trim().takeIf { Regex("-?[0-9]{1,15}([.][0-9]{1,9})?").matches(it) }?.let { BigDecimal(it) }
//: activityNames

    /** The activity in front by all of its names. */
    private fun activityNames(): List<String> {
        val (owner, name) = front().split("/")
        val full = if (name.startsWith(".")) owner + name else name
        val short = if (full.startsWith("$owner.")) full.removePrefix(owner) else full
        return listOf(full, short, full.substringAfterLast('.'), "$owner/$short")
    }
//: front

    /** What is in front, as `package/activity`. */
    private fun front(): String {
        val focused = Regex("""mFocusedApp=.* ([A-Za-z0-9_.]+/[A-Za-z0-9_.$]+)[ }]""")
        return checkNotNull(focused.find(shell("dumpsys window"))) { "nothing is in front" }.groupValues[1]
    }
//: isOnNetwork

    private fun isOnNetwork(): Boolean = shell("settings get global airplane_mode_on").trim() != "1"
//: hasCrashed

    private fun hasCrashed(): Boolean {
        val log = shell("logcat -b crash -d")
        return "Process: $PACKAGE," in log || ">>> $PACKAGE <<<" in log
    }
//: isNotResponding

    private fun isNotResponding(): Boolean =
        "Application Not Responding: $PACKAGE" in shell("dumpsys window")
//: isKeyboardShown

    private fun isKeyboardShown(): Boolean = "mInputShown=true" in shell("dumpsys input_method")
//: shell

    private fun shell(command: String): String = device.executeShellCommand(command)
