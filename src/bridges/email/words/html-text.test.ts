import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { htmlText } from "./html-text.ts";
import { ownWords } from "./own-words.ts";

describe("HTML as text", () => {
  it.each([
    ["paragraphs", "<p>One</p><p>Two<br>Three</p>", "One\n\nTwo\nThree"],
    ["divisions as Gmail writes them", '<div dir="ltr">One<div><br></div><div>Two</div></div>', "One\n\nTwo"],
    ["white space", "  One\n   two&nbsp; three ", "One two three"],
    [
      "characters by name and number",
      "&lt;b&gt; &amp; &auml;&Eacute; &#8364;&#x1F600; &bogus; &#xD800; AT&T",
      "<b> & äÉ €😀 &bogus; \uFFFD AT&T",
    ],
    ["lists", "<ul><li>One</li><li>Two</li></ul>", "- One\n- Two"],
    ["tables", "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"],
    [
      "links",
      'See <a href="https://a.example/x">this</a> and <a href="https://b.example">b.example</a>, <a href="mailto:a@b.c">a@b.c</a>',
      "See this [https://a.example/x] and b.example, a@b.c",
    ],
    [
      "what nobody sees",
      "<head><title>T</title></head><style>p{}</style>One<!-- no --><script>x<y</script> two",
      "One two",
    ],
    [
      "quotations",
      "<p>Yes</p><blockquote type=cite><div>Old</div><blockquote>Older</blockquote></blockquote><p>End</p>",
      "Yes\n\n> Old\n>\n> > Older\n>\nEnd",
    ],
    ["a rule", "One<hr>Two", `One\n${"_".repeat(32)}\nTwo`],
    ["what is no tag", "1 < 2 and 3 > 2, a<3", "1 < 2 and 3 > 2, a<3"],
    ["a tag that never ends", "One<p", "One"],
    ["a comment that never ends", "One<!-- two", "One"],
    ["letters whose small form is longer", "İİİİ<BR>two", "İİİİ\ntwo"],
    ["nothing", "", ""],
  ])("%s", (_, html, text) => {
    expect(htmlText(html)).toBe(text);
  });

  it.each([
    [
      "Gmail",
      '<div dir="ltr">Yes</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Nov 16, 2026 at 10:00 AM bot &lt;<a href="mailto:bot@rig.test">bot@rig.test</a>&gt; wrote:<br></div><blockquote class="gmail_quote">The build</blockquote></div>',
    ],
    [
      "Apple Mail",
      '<html><body>Yes<br><div><br><blockquote type="cite"><div>On 16. Nov 2026, at 10:00, bot &lt;bot@rig.test&gt; wrote:</div><br><div>The build</div></blockquote></div></body></html>',
    ],
    [
      "Outlook",
      '<div>Yes</div><div id="appendonsend"></div><hr style="width:98%"><div id="divRplyFwdMsg"><font face="Calibri"><b>From:</b> bot &lt;bot@rig.test&gt;<br><b>Sent:</b> Monday, November 16, 2026 10:00 AM<br><b>To:</b> dana@example.org<br><b>Subject:</b> Build</font><div>&nbsp;</div></div><div>The build</div>',
    ],
    [
      "Outlook on a phone",
      '<div>Yes</div><div><br></div><div id="ms-outlook-mobile-signature">Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div><hr><div><b>From:</b> bot<br><b>Sent:</b> Monday<br><b>Subject:</b> Build</div><div>The build</div>',
    ],
  ])("leaves a person's own words recognisable: %s", (_, html) => {
    expect(ownWords(htmlText(html))).toBe("Yes");
  });

  it("takes any text, and never grows out of proportion", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "<p>",
        "</p>",
        "<blockquote>",
        "<a href=https://x.y>",
        "</a>",
        "<li>",
        "<",
        ">",
        "&#1;",
        "<!--",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const html = pieces.join("");
        expect(htmlText(html).length).toBeLessThanOrEqual(8 * html.length + 8);
      }),
    );
  });

  it("takes no time to speak of, however it is built", () => {
    const started = process.cpuUsage();
    for (const piece of [
      "<div>",
      "<blockquote>x",
      "<ul><li>",
      "<td><p>",
      "<",
      "<a",
      "<a href='",
      "<!--",
      "<style>",
      "&",
      "&#",
      "</",
      "<a href=https://x.y>z",
      "<table><tr><td>",
    ])
      htmlText(piece.repeat(256_000 / piece.length));
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(8_000);
  });
});
