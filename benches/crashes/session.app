# A page of somebody who has logged out crashes when it is refreshed: the page lies behind the account on the stack.
app org.crash.session "Session" 1
launch Main

session user = "ann"

activity Main .Main {
    TextView "Welcome"
    Button "Log in" when (!user) -> user = "ann"
    Button "Orders" when user -> open Orders
    Button "News" -> open News
}

activity Orders .Orders {
    TextView "Two orders"
    Button "Refresh" -> if !user { crash "java.lang.NullPointerException: user" }
    Button "Account" -> open Account
    Button "Invoice" -> open Invoice
}

activity Account .Account {
    TextView (user ? user : "nobody")
    Button "Log out" when user -> user = ""
    Button "Log in" when (!user) -> user = "ann"
}

activity Invoice .Invoice {
    own sum = 10
    TextView "{sum} euros"
    Button "Next invoice" -> sum = sum + 7
}

activity News .News {
    own page = 1
    TextView "News, page {page}"
    Button "Older" -> page = page + 1
}
