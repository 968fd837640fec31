# language: en
@a
Feature: f
  free text

  Background:
    Given the app is freshly started at "Main"

  @within-9-steps @typed-counts @times-to-10ms
  Scenario Outline: <n> of <what>
    When I type "<what>" into [id = x] 2 times
    * I scroll to "<what>"
    Then I see at least <n> "<what>"
    And within 3 steps [text ~ /<what>/] | ![checked = true]

    Examples: some
      | n | what  |
      | 2 | a\|"b |

  Rule: r
    Example: e
      Given I am on 'Main'
      Then the app doesn't crash
