import { describe, expect, it } from "vitest";
import { ownWords } from "./own-words.ts";

const lines = (...parts: readonly string[]): string => parts.join("\n");
const QUOTE = ["> The build is red.", ">", "> Shall I roll back?"];

describe("what a person wrote themselves", () => {
  it.each<readonly [name: string, text: string, own: string]>([
    [
      "Gmail",
      lines("Yes", "", "On Mon, Nov 16, 2026 at 10:00 AM coder <bot@example.com> wrote:", "", ...QUOTE, ""),
      "Yes",
    ],
    [
      "Gmail, with a broken attribution",
      lines(
        "Yes, please.",
        "",
        "On Mon, Nov 16, 2026 at 10:00 AM the long named coder <",
        "bot@example.com> wrote:",
        "",
        ...QUOTE,
      ),
      "Yes, please.",
    ],
    [
      "Gmail, in three lines",
      lines("Yes", "", "On Mon, Nov 16, 2026 at 10:00 AM,", "coder <bot@example.com>", "wrote:", ...QUOTE),
      "Yes",
    ],
    [
      "Gmail in Japanese",
      lines("はい", "", "2026年11月16日(月) 10:00 coder <bot@example.com>:", "", ...QUOTE),
      "はい",
    ],
    [
      "Gmail in Korean",
      lines("네", "", "2026년 11월 16일 (월) 오전 10:00, coder <bot@example.com>님이 작성:", "", ...QUOTE),
      "네",
    ],
    [
      "Gmail in Chinese",
      lines("好", "", "coder <bot@example.com> 于2026年11月16日周一 10:00写道：", "", ...QUOTE),
      "好",
    ],
    [
      "Gmail in Polish",
      lines("Tak", "", "pon., 16 lis 2026 o 10:00 coder <bot@example.com> napisał(a):", "", ...QUOTE),
      "Tak",
    ],
    [
      "Gmail in Russian",
      lines("Да", "", "пн, 16 нояб. 2026 г. в 10:00, coder <bot@example.com>:", "", ...QUOTE),
      "Да",
    ],
    [
      "Gmail in Turkish",
      lines(
        "Evet",
        "",
        "coder <bot@example.com>, 16 Kas 2026 Pzt, 10:00 tarihinde şunu yazdı:",
        "",
        ...QUOTE,
      ),
      "Evet",
    ],
    [
      "Apple Mail",
      lines("Yes", "", "> On 16. Nov 2026, at 10:00, coder <bot@example.com> wrote:", "> ", ...QUOTE),
      "Yes",
    ],
    [
      "Apple Mail on a phone",
      lines(
        "Yes",
        "",
        "Sent from my iPhone",
        "",
        "> On 16. Nov 2026, at 10:00, coder <bot@example.com> wrote:",
        "> ",
        "> \uFEFFThe build is red.",
      ),
      "Yes",
    ],
    [
      "Apple Mail in German",
      lines(
        "Ja",
        "",
        "Von meinem iPhone gesendet",
        "",
        "> Am 16.11.2026 um 10:00 schrieb coder <bot@example.com>:",
        "> ",
        ...QUOTE,
      ),
      "Ja",
    ],
    [
      "Apple Mail in French",
      lines(
        "Oui",
        "",
        "Envoyé de mon iPhone",
        "",
        "> Le 16 nov. 2026 à 10:00, coder <bot@example.com> a écrit :",
        "> ",
        ...QUOTE,
      ),
      "Oui",
    ],
    [
      "Apple Mail in Japanese",
      lines(
        "はい",
        "",
        "iPhoneから送信",
        "",
        "> 2026/11/16 10:00、coder <bot@example.com>のメール:",
        ...QUOTE,
      ),
      "はい",
    ],
    [
      "Outlook",
      lines(
        "Yes",
        "",
        "________________________________",
        "From: coder <bot@example.com>",
        "Sent: Monday, November 16, 2026 10:00 AM",
        "To: Dana <dana@example.org>",
        "Subject: The build is red.",
        "",
        "The build is red. Shall I roll back?",
      ),
      "Yes",
    ],
    [
      "Outlook without a rule, in bold",
      lines(
        "Yes",
        "",
        "*From:* coder <bot@example.com>",
        "*Sent:* Monday, November 16, 2026 10:00 AM",
        "*To:* dana@example.org",
        "*Subject:* The build",
        "",
        "The build is red.",
      ),
      "Yes",
    ],
    [
      "an old Outlook",
      lines(
        "Yes",
        "",
        "-----Original Message-----",
        "From: coder [mailto:bot@example.com]",
        "Sent: Monday",
        "",
        "The build is red.",
      ),
      "Yes",
    ],
    [
      "Outlook in German",
      lines(
        "Ja",
        "",
        "Von: coder <bot@example.com>",
        "Gesendet: Montag, 16. November 2026 10:00",
        "An: dana@example.org",
        "Betreff: Der Build",
        "",
        "Er ist rot.",
      ),
      "Ja",
    ],
    [
      "Outlook in French",
      lines(
        "Oui",
        "",
        "De : coder <bot@example.com>",
        "Envoyé : lundi 16 novembre 2026 10:00",
        "À : dana@example.org",
        "Objet : Le build",
        "",
        "Rouge.",
      ),
      "Oui",
    ],
    [
      "Outlook in Spanish",
      lines(
        "Sí",
        "",
        "De: coder <bot@example.com>",
        "Enviado: lunes, 16 de noviembre de 2026 10:00",
        "Para: dana@example.org",
        "Asunto: La compilación",
        "",
        "Rojo.",
      ),
      "Sí",
    ],
    [
      "Outlook on a phone",
      lines(
        "Yes",
        "",
        "Get Outlook for iOS<https://aka.ms/o0ukef>",
        "________________________________",
        "From: coder <bot@example.com>",
        "Sent: Monday",
        "To: dana@example.org",
        "Subject: x",
        "",
        "The build is red.",
      ),
      "Yes",
    ],
    [
      "Yahoo, which marks nothing",
      lines(
        "Yes",
        "",
        "On Monday, November 16, 2026 at 10:00:00 AM GMT+1, coder <bot@example.com> wrote:",
        "",
        "The build is red.",
        "Shall I roll back?",
      ),
      "Yes",
    ],
    [
      "Thunderbird, below the quotation",
      lines("On 11/16/26 10:00, coder wrote:", ...QUOTE, "", "Yes, roll back.", "", "-- ", "Dana"),
      "Yes, roll back.",
    ],
    [
      "Thunderbird in German",
      lines("Am 16.11.26 um 10:00 schrieb coder:", ...QUOTE, "Ja, zurück."),
      "Ja, zurück.",
    ],
    ["Thunderbird in Dutch", lines("Op 16-11-2026 om 10:00 schreef coder:", ...QUOTE, "Ja"), "Ja"],
    ["Thunderbird in Italian", lines("Il 16/11/2026 10:00, coder ha scritto:", ...QUOTE, "Sì"), "Sì"],
    ["Thunderbird in Portuguese", lines("Em 16/11/2026 10:00, coder escreveu:", ...QUOTE, "Sim"), "Sim"],
    ["Thunderbird in Swedish", lines("Den 2026-11-16 kl. 10:00, skrev coder:", ...QUOTE, "Ja"), "Ja"],
    ["Thunderbird in Finnish", lines("coder kirjoitti 16.11.2026 klo 10.00:", ...QUOTE, "Kyllä"), "Kyllä"],
    ["Thunderbird in Czech", lines("Dne 16. 11. 26 v 10:00 coder napsal(a):", ...QUOTE, "Ano"), "Ano"],
    [
      "answers between the questions",
      lines(
        "On 11/16/26 10:00, coder wrote:",
        "> Shall I roll back?",
        "Yes.",
        "",
        "> And tell the team?",
        "No, I will.",
      ),
      "Yes.\n\nNo, I will.",
    ],
    ["a quotation without an attribution", lines("> Shall I roll back?", "Yes"), "Yes"],
    ["quotations in quotations", lines("Yes", "", ">> Shall I?", "> Perhaps", "> > > old"), "Yes"],
    ["a signature", lines("Yes", "-- ", "Dana Example", "Example Ltd"), "Yes"],
    ["a signature whose blank was lost", lines("Yes", "", "--", "Dana Example"), "Yes"],
    [
      "a signature above the quotation",
      lines(
        "Yes",
        "",
        "-- ",
        "Dana",
        "",
        "On Mon, 16 Nov 2026 at 10:00, coder <bot@example.com> wrote:",
        ...QUOTE,
      ),
      "Yes",
    ],
    ["a signature of a phone", lines("Yes", "", "Sent from my Galaxy"), "Yes"],
    [
      "lines that end as on Windows",
      "Yes\r\n\r\nOn Mon, 16 Nov 2026 at 10:00, coder <bot@example.com> wrote:\r\n> x\r\n",
      "Yes",
    ],
  ])("%s", (_, text, own) => {
    expect(ownWords(text)).toBe(own);
  });

  it.each<readonly [name: string, text: string]>([
    ["one line", "Yes, roll back."],
    ["several paragraphs", lines("First.", "", "Second:", "", "  indented", "", "Third.")],
    [
      "their own mention of what somebody wrote",
      lines("On Monday he wrote:", "use the old key.", "Please check."),
    ],
    [
      "a dash between paragraphs",
      lines("One", "--", ...Array.from({ length: 12 }, (_, index) => `line ${index}`)),
    ],
    ["a rule of dashes", lines("One", "---", "Two", "--------------------------------", "Three")],
    ["one field of their own", lines("From: the top of the file", "", "please read on")],
    ["a list of fields of their own", lines("To: do", "", "Subject: not known")],
    ["a greater-than sign within a line", "if a > b then c"],
    ["words about a phone", lines("It was sent from my phone by mistake.", "Sent from my heart")],
    ["a ratio at the end", "The ratio is 16:9, it says 2026:"],
    ["an indented first line", "    code first\nthen words"],
  ])("stays as it is: %s", (_, text) => {
    expect(ownWords(text)).toBe(text);
  });

  it.each<readonly [name: string, text: string]>([
    ["nothing but a quotation", lines(...QUOTE)],
    [
      "nothing but an attribution and a quotation",
      lines("On Mon, 16 Nov 2026 at 10:00, coder <bot@example.com> wrote:", ...QUOTE),
    ],
    ["nothing but a signature", lines("-- ", "Dana")],
    ["nothing but the line of a phone", "Sent from my iPhone"],
    [
      "words below an unmarked quotation",
      lines("-----Original Message-----", "From: a@example.com", "", "words"),
    ],
  ])("is everything where nothing else would be left: %s", (_, text) => {
    expect(ownWords(text)).toBe(text);
  });
});
