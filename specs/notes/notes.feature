# Notes in plain words. farlead knows the sentences (`farlead words` lists them) and finds the way to what they name, so there
# are no step definitions, and a scenario leaves out what is in between.
@notes
Feature: Notes

  @smoke
  Scenario: a note without a name gets one
    Given the app is freshly started
    When I click "OKAY"
    And I type "Milk" into "Content"
    And I click "Save"
    Then I see "Note 1"

  # A bug of the app: back keeps a note that nobody has saved.
  Scenario: back keeps a note
    Given I am on "TextNote"
    When I go back
    Then I immediately see "Note 1"

  Scenario Outline: the settings show <setting>
    Given I am on "Settings"
    Then I see "<setting>"

    Examples:
      | setting   |
      | Font size |
      | Delete    |

  Rule: it never crashes

    @within-10-steps @over-50-episodes
    Scenario: no crash from the settings
      Given I am on "Settings"
      Then the app must never crash
