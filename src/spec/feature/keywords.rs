//! The keywords of Gherkin in several languages.

/// Keyword at the start of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Feature,
    Rule,
    Background,
    Scenario,
    Outline,
    Examples,
    Given,
    When,
    Then,
    /// `And`, `But` or `*`: a step of the kind before.
    And,
}

impl Keyword {
    /// Returns true for keywords that start a step; the others start a part of the file and have a colon.
    pub fn is_step(self) -> bool {
        matches!(self, Keyword::Given | Keyword::When | Keyword::Then | Keyword::And)
    }
}

/// Words of a language, those of a keyword with a bar between them.
#[derive(Debug)]
pub(super) struct Language {
    /// Code, as `# language: de` names it.
    pub code: &'static str,
    words: [&'static str; 10],
}

/// Keywords in the order of the words of a [`Language`].
const KEYWORDS: [Keyword; 10] = [
    Keyword::Feature,
    Keyword::Rule,
    Keyword::Background,
    Keyword::Scenario,
    Keyword::Outline,
    Keyword::Examples,
    Keyword::Given,
    Keyword::When,
    Keyword::Then,
    Keyword::And,
];

/// Languages; the first counts where a file names none.
pub(super) const LANGUAGES: [Language; 11] = [
    Language {
        code: "en",
        words: [
            "Feature|Business Need|Ability",
            "Rule",
            "Background",
            "Scenario|Example",
            "Scenario Outline|Scenario Template",
            "Examples|Scenarios",
            "Given",
            "When",
            "Then",
            "And|But",
        ],
    },
    Language {
        code: "de",
        words: [
            "Funktionalität|Funktion",
            "Regel|Rule",
            "Grundlage|Hintergrund|Voraussetzungen|Vorbedingungen",
            "Szenario|Beispiel",
            "Szenariogrundriss|Szenarien",
            "Beispiele",
            "Angenommen|Gegeben sei|Gegeben seien",
            "Wenn",
            "Dann",
            "Und|Aber",
        ],
    },
    Language {
        code: "es",
        words: [
            "Característica|Necesidad del negocio|Requisito",
            "Regla|Regla de negocio",
            "Antecedentes",
            "Escenario|Ejemplo",
            "Esquema del escenario",
            "Ejemplos",
            "Dado|Dada|Dados|Dadas",
            "Cuando",
            "Entonces",
            "Y|E|Pero",
        ],
    },
    Language {
        code: "fr",
        words: [
            "Fonctionnalité",
            "Règle",
            "Contexte",
            "Scénario|Exemple",
            "Plan du scénario|Plan du Scénario",
            "Exemples",
            "Soit|Sachant que|Sachant qu'|Sachant|Etant donné que|Etant donné qu'|Etant donné|Étant donné que|Étant donné qu'|Étant donné",
            "Quand|Lorsque|Lorsqu'",
            "Alors|Donc",
            "Et que|Et qu'|Et|Mais que|Mais qu'|Mais",
        ],
    },
    Language {
        code: "it",
        words: [
            "Funzionalità|Esigenza di business|Abilità",
            "Regola",
            "Contesto",
            "Scenario|Esempio",
            "Schema dello scenario",
            "Esempi",
            "Dato|Data|Dati|Date",
            "Quando",
            "Allora",
            "E|Ma",
        ],
    },
    Language {
        code: "ja",
        words: [
            "機能|フィーチャ",
            "ルール",
            "背景",
            "シナリオ",
            "シナリオアウトライン|シナリオテンプレート|シナリオテンプレ|テンプレ",
            "例|サンプル",
            "前提",
            "もし",
            "ならば",
            "かつ|且つ|しかし|但し|ただし|然し",
        ],
    },
    Language {
        code: "nl",
        words: [
            "Functionaliteit",
            "Regel",
            "Achtergrond",
            "Scenario|Voorbeeld",
            "Abstract Scenario",
            "Voorbeelden",
            "Gegeven|Stel",
            "Als|Wanneer",
            "Dan",
            "En|Maar",
        ],
    },
    Language {
        code: "pl",
        words: [
            "Właściwość|Funkcja|Aspekt|Potrzeba biznesowa",
            "Zasada|Reguła",
            "Założenia",
            "Scenariusz|Przykład",
            "Szablon scenariusza",
            "Przykłady",
            "Zakładając|Mając|Zakładając, że",
            "Jeżeli|Jeśli|Gdy|Kiedy",
            "Wtedy",
            "Oraz|I|Ale",
        ],
    },
    Language {
        code: "pt",
        words: [
            "Funcionalidade|Característica|Caracteristica",
            "Regra",
            "Contexto|Cenário de Fundo|Cenario de Fundo|Fundo",
            "Cenário|Cenario|Exemplo",
            "Esquema do Cenário|Esquema do Cenario|Delineação do Cenário|Delineacao do Cenario",
            "Exemplos|Cenários|Cenarios",
            "Dado|Dada|Dados|Dadas",
            "Quando",
            "Então|Entao",
            "E|Mas",
        ],
    },
    Language {
        code: "ru",
        words: [
            "Функция|Функциональность|Функционал|Свойство|Фича",
            "Правило",
            "Предыстория|Контекст",
            "Сценарий|Пример",
            "Структура сценария|Шаблон сценария",
            "Примеры",
            "Допустим|Дано|Пусть",
            "Когда|Если",
            "То|Затем|Тогда",
            "И|К тому же|Также|Но|А|Иначе",
        ],
    },
    Language {
        code: "zh-CN",
        words: [
            "功能",
            "规则|Rule",
            "背景",
            "场景|剧本",
            "场景大纲|剧本大纲",
            "例子",
            "假如|假设|假定",
            "当",
            "那么",
            "而且|并且|同时|但是",
        ],
    },
];

impl Language {
    /// Returns the keyword that `line` starts with, and the number of its bytes, the colon included.
    pub fn keyword(&self, line: &str) -> Option<(Keyword, usize)> {
        if line.starts_with("* ") {
            return Some((Keyword::And, 1));
        }
        let ends = |keyword: Keyword, word: &str| {
            let rest = line.strip_prefix(word)?;
            if !keyword.is_step() {
                // Some people leave a blank before the colon.
                let colon = rest.find(':').filter(|&at| rest[..at].trim().is_empty())?;
                return Some(word.len() + colon + 1);
            }
            let last = word.chars().next_back().expect("a keyword has letters");
            // Chinese and Japanese have no blanks between words, and `qu'` needs none.
            let is_joined = last == '\'' || last >= '\u{2e80}';
            (is_joined || rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(word.len())
        };
        let found = KEYWORDS.into_iter().zip(self.words).flat_map(|(keyword, words)| {
            words.split('|').filter_map(move |word| Some((keyword, ends(keyword, word)?)))
        });
        // One keyword may start another: `Et` and `Et que`.
        found.max_by_key(|&(_, end)| end)
    }

    /// Returns the first word of `keyword`.
    pub fn word(&self, keyword: Keyword) -> &'static str {
        self.words(keyword).next().expect("a keyword has a word")
    }

    /// Returns the words of `keyword`.
    pub fn words(&self, keyword: Keyword) -> impl Iterator<Item = &'static str> {
        let at = KEYWORDS.into_iter().position(|other| other == keyword).expect("each keyword is listed");
        self.words[at].split('|')
    }

    /// Returns the words that start a step, or those that start a part of a file.
    pub fn starts(&self, is_step: bool) -> impl Iterator<Item = &'static str> {
        KEYWORDS
            .into_iter()
            .filter(move |keyword| keyword.is_step() == is_step)
            .flat_map(|keyword| self.words(keyword))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, line: &str, expected: Option<(Keyword, usize)>) {
        let language = LANGUAGES.iter().find(|language| language.code == code).expect(code);
        assert_eq!(language.keyword(line), expected, "{line}");
    }

    #[test]
    fn a_line_starts_with_the_longest_keyword_that_fits() {
        check("en", "Scenario Outline: x", Some((Keyword::Outline, 17)));
        check("en", "Scenario : x", Some((Keyword::Scenario, 10)));
        check("en", "Scenario x", None);
        check("en", "Given", Some((Keyword::Given, 5)));
        check("en", "Givens x", None);
        check("en", "* x", Some((Keyword::And, 1)));
        check("fr", "Et qu'il", Some((Keyword::And, 6)));
        check("fr", "Et il", Some((Keyword::And, 2)));
        check("zh-CN", "当我", Some((Keyword::When, 3)));
        check("de", "Gegeben seien x", Some((Keyword::Given, 13)));
    }

    #[test]
    fn each_word_of_each_language_is_read_as_its_keyword() {
        for language in &LANGUAGES {
            for keyword in KEYWORDS {
                for word in language.words(keyword) {
                    let line = format!("{word}{} x", if keyword.is_step() { "" } else { ":" });
                    let read = language.keyword(&line).map(|(read, _)| read);
                    assert_eq!(read, Some(keyword), "{}: {line}", language.code);
                }
            }
        }
    }
}
