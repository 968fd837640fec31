Feature: Things to do
  Scenario: an entry is added and edited
    Given the app is freshly started
    When I type "abc" into "What needs to be done?"
    And I press enter
    And I double-click "abc"
    Then I see "1 item left"
    And [class = edit, focused = true]

  Scenario: what is done stays done
    Given I see "1 item left"
    When I click "Mark all as complete"
    And I reload the page
    Then I see "0 items left"
