// Made by farlead 0.1.0 from a test it keeps.
// It belongs into the sources of a test module of its own (`com.android.test`), which runs in another process than
// the app, with androidx.test:runner, androidx.test.ext:junit and androidx.test.uiautomator:uiautomator 2.3 or later.
// Run it with `./gradlew connectedAndroidTest`, the app being installed.
//
// What the run was found for:
//     possible "keeps what was written" within 7 steps:
//         F (![crashed = true] & [text ~ off])
// What captures it, step by step:
//     possible "captured":
//         X [text ~ off] & X X [actionType = back]
// app: org.notes 1.0.1
// in farlead: --app apps/notes.app
// device: simulator, 480x800
// spec: specs/notes/keep.ltl
// found by: planner
// seed: 7
// search: 3 episodes, 21 steps
// steps: 7 of the 9 it was found with
// did it again: 3 of 3 times

package farlead

import android.os.SystemClock
import androidx.test.ext.junit.runners.AndroidJUnit4
import androidx.test.platform.app.InstrumentationRegistry
import androidx.test.uiautomator.By
import androidx.test.uiautomator.BySelector
import androidx.test.uiautomator.UiDevice
import androidx.test.uiautomator.UiObject2
import androidx.test.uiautomator.Until
import org.junit.After
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith

@RunWith(AndroidJUnit4::class)
class KeepsWhatWasWrittenTest {
    private val device = UiDevice.getInstance(InstrumentationRegistry.getInstrumentation())

    @After
    fun putBack() {
        device.setOrientationNatural()
        device.unfreezeRotation()
    }

    @Test
    fun keepsWhatWasWrittenRun() {
        device.setOrientationNatural()

        // step 0, reinitialise org.notes.ui.Main
        start("org.notes.ui.Main")
        device.waitForIdle()
        assertHolds("step 0, reinitialise org.notes.ui.Main: [activity ~ Main]") {
            activityNames().any { name -> "Main" in name }
        }

        // step 1, click ImageButton 0:3
        // Not as in the test: no name tells the widget apart, so it is found by its place in the tree and its class.
        widgetAt("0:3", "android.widget.ImageButton").click()
        device.waitForIdle()
        assertHolds("step 1, click ImageButton 0:3: [activity ~ Edit]") {
            activityNames().any { name -> "Edit" in name }
        }

        // step 2, text "50% off, it's $5" into "Name"
        widget(By.res("org.notes:id/name")).text = "50% off, it's \$5"
        device.waitForIdle()

        // step 3, back
        goBack()
        device.waitForIdle()
        assertHolds("step 3, back: ![text ~ /^Note [0-9]+\$/]") {
            !(widgets().any { Regex("^Note [0-9]+\$").containsMatchIn(it.text.orEmpty()) })
        }
        assertHolds("step 3, back: [count(id = row) >= 2]") {
            widgets().count { names(it.resourceName, '/').any { name -> name == "row" } } >= 2
        }

        // step 4, longclick "one"
        widget(By.res("org.notes:id/row").text("one")).longClick()
        device.waitForIdle()

        // step 5, click "two"
        shell("logcat -b crash -c")
        widget(By.res("org.notes:id/row").text("two")).click()
        device.waitForIdle()
        assertSeen("step 5, click \"two\": [checked = true]", By.checked(true))
        assertHolds("step 5, click \"two\": ![crashed = true]") {
            !(hasCrashed())
        }

        // step 6, rotate
        device.setOrientationLeft()
        device.waitForIdle()
        assertSeen("step 6, rotate: [text = \"50% off, it's \$5\"]", By.text("50% off, it's \$5"))
    }

    private fun start(activity: String) {
        // A run before may have left the display dark.
        device.wakeUp()
        shell("am force-stop $PACKAGE")
        check("Success" in shell("pm clear $PACKAGE")) { "cannot clear the data of $PACKAGE; is it installed?" }
        comeBack(activity)
    }

    private fun comeBack(activity: String) {
        shell("am start -W -n $PACKAGE/$activity")
        val isThere = device.wait(Until.hasObject(By.pkg(PACKAGE).depth(0)), TIMEOUT_MS)
        assertTrue("$activity does not start", isThere == true)
    }

    private fun widget(by: BySelector): UiObject2 =
        checkNotNull(device.wait(Until.findObject(by), TIMEOUT_MS)) { "no such widget: $by" }

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

    /** Leaves the screen: a keyboard would take the first press. */
    private fun goBack() {
        if (isKeyboardShown()) device.pressBack()
        device.pressBack()
    }

    private fun assertSeen(what: String, by: BySelector) {
        assertTrue(what, device.wait(Until.hasObject(by), TIMEOUT_MS) == true)
    }

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

    private fun widgets(): List<UiObject2> = device.findObjects(By.pkg(device.currentPackageName))

    /** A name in full, and what comes after the last of its [separator]s. */
    private fun names(full: String?, separator: Char): List<String> =
        listOf(full.orEmpty(), full.orEmpty().substringAfterLast(separator))

    /** The activity in front by all of its names. */
    private fun activityNames(): List<String> {
        val (owner, name) = front().split("/")
        val full = if (name.startsWith(".")) owner + name else name
        val short = if (full.startsWith("$owner.")) full.removePrefix(owner) else full
        return listOf(full, short, full.substringAfterLast('.'), "$owner/$short")
    }

    /** What is in front, as `package/activity`. */
    private fun front(): String {
        val focused = Regex("""mFocusedApp=.* ([A-Za-z0-9_.]+/[A-Za-z0-9_.$]+)[ }]""")
        return checkNotNull(focused.find(shell("dumpsys window"))) { "nothing is in front" }.groupValues[1]
    }

    private fun hasCrashed(): Boolean {
        val log = shell("logcat -b crash -d")
        return "Process: $PACKAGE," in log || ">>> $PACKAGE <<<" in log
    }

    private fun isKeyboardShown(): Boolean = "mInputShown=true" in shell("dumpsys input_method")

    private fun shell(command: String): String = device.executeShellCommand(command)

    private companion object {
        const val PACKAGE = "org.notes"
        const val TIMEOUT_MS = 10_000L
    }
}
