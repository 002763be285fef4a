/**
 * HTML as plain text, in one pass: time and size grow with the input only, however it is nested. What is quoted gets
 * the marks that plain mail has, so that it can be recognised.
 */

const QUOTE_MARK = "> ";
const MOST_QUOTE_MARKS = 3;
const RULE = "_".repeat(32);
const LONGEST_LINK = 500;
const LONGEST_ATTRIBUTES = 4_000;

/** With a blank line around them. */
const PARAGRAPHS = new Set([
  "p",
  "blockquote",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "ul",
  "ol",
  "table",
  "pre",
  "dl",
]);
/** On a line of their own. */
const LINES = new Set([
  "div",
  "tr",
  "li",
  "dt",
  "dd",
  "section",
  "article",
  "header",
  "footer",
  "address",
  "form",
]);
/** Whose content nobody sees. */
const UNSEEN = new Set(["style", "script", "title", "head", "template", "noscript"]);

export function htmlText(html: string): string {
  // Only these letters: some others would become two.
  const lower = html.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase());
  const page = new Page();
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf("<", at);
    page.write(html.slice(at, open === -1 ? html.length : open));
    if (open === -1) break;
    if (lower.startsWith("<!--", open)) {
      at = behind(lower, "-->", open + 4);
      continue;
    }
    const tag = /^<(\/?)([a-z][a-z0-9:-]*)/u.exec(lower.slice(open, open + 40));
    if (tag === null && !/^<[!?/]/u.test(lower.slice(open, open + 2))) {
      page.write("<");
      at = open + 1;
      continue;
    }
    const close = html.indexOf(">", open);
    if (close === -1) break;
    const [whole = "", end = "", name = ""] = tag ?? [];
    at = close + 1;
    if (end === "" && UNSEEN.has(name)) at = behind(lower, `</${name}>`, at);
    else
      page.tag(
        name,
        end === "/",
        html.slice(open + whole.length, Math.min(close, open + LONGEST_ATTRIBUTES)),
      );
  }
  return page.text();
}

function behind(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}

class Page {
  readonly #lines: string[] = [];
  /** In pieces: to look at the end of a long text that grows would copy it each time. */
  #pieces: string[] = [];
  #endsInBlank = true;
  #quotes = 0;
  #link: { readonly target: string; readonly firstPiece: number } | undefined;

  write(html: string): void {
    if (html === "") return;
    const text = decoded(html).replace(/[\s\u00A0]+/gu, " ");
    this.#add(this.#endsInBlank && text.startsWith(" ") ? text.slice(1) : text);
  }

  tag(name: string, isEnd: boolean, attributes: string): void {
    if (name === "blockquote" && !isEnd) this.#finishParagraph();
    if (name === "blockquote") this.#quotes = isEnd ? this.#finishQuote() : this.#quotes + 1;
    else if (name === "br") this.#break();
    else if (name === "hr") this.#rule();
    else if (name === "a") isEnd ? this.#finishLink() : this.#startLink(attributes);
    else if (name === "td" || name === "th") this.write(" ");
    else if (LINES.has(name)) this.#finishLine();
    else if (PARAGRAPHS.has(name)) this.#finishParagraph();
    if (name === "li" && !isEnd) this.#add("- ");
  }

  text(): string {
    this.#finishLine();
    return this.#lines.join("\n").trim();
  }

  #add(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#endsInBlank = text.endsWith(" ");
  }

  #break(): void {
    const marks = QUOTE_MARK.repeat(Math.min(this.#quotes, MOST_QUOTE_MARKS));
    this.#lines.push(`${marks}${this.#pieces.join("")}`.trimEnd());
    this.#startLine();
  }

  #startLine(): void {
    this.#pieces = [];
    this.#endsInBlank = true;
    this.#link = undefined;
  }

  #finishLine(): void {
    if (this.#pieces.length > 0) this.#break();
    else this.#startLine();
  }

  #finishParagraph(): void {
    this.#finishLine();
    const last = this.#lines.at(-1);
    if (last !== undefined && !/^[> ]*$/u.test(last)) this.#break();
  }

  #finishQuote(): number {
    this.#finishLine();
    const outside = Math.max(0, this.#quotes - 1);
    this.#quotes = outside;
    this.#finishParagraph();
    return outside;
  }

  #rule(): void {
    this.#finishLine();
    this.#add(RULE);
    this.#break();
  }

  #startLink(attributes: string): void {
    const found = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/iu.exec(attributes);
    const target = decoded(found?.[1] ?? found?.[2] ?? found?.[3] ?? "").trim();
    this.#link = { target, firstPiece: this.#pieces.length };
  }

  /** Where a link leads stands behind its words, unless they say so already. */
  #finishLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined || !/^https?:\/\/\S+$/iu.test(link.target) || link.target.length > LONGEST_LINK)
      return;
    const words = this.#pieces.slice(link.firstPiece).join("").trim();
    if (words !== "" && !link.target.includes(words.replace(/\/$/u, ""))) this.#add(` [${link.target}]`);
  }
}

/** U+00A0 to U+00FF in their order. */
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(" ").map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...([
    ["amp", "&"],
    ["lt", "<"],
    ["gt", ">"],
    ["quot", '"'],
    ["apos", "'"],
    ["ndash", "–"],
    ["mdash", "—"],
    ["lsquo", "‘"],
    ["rsquo", "’"],
    ["sbquo", "‚"],
    ["ldquo", "“"],
    ["rdquo", "”"],
    ["bdquo", "„"],
    ["bull", "•"],
    ["hellip", "…"],
    ["euro", "€"],
    ["trade", "™"],
    ["larr", "←"],
    ["rarr", "→"],
  ] as const),
]);

function decoded(html: string): string {
  return html.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,31}));?/giu,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return NAMED.get(name) ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : "\uFFFD";
    },
  );
}
