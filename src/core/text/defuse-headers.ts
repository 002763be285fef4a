/**
 * A body must not pass for something Bellhop wrote. Whatever in it looks like a header (`[message from: …`,
 * `[3 messages from: …`, `[3 messages]`, `(2) from …`, `[bellhop]`) or a reply hint (`— from session …`,
 * `— from agent "…`, `— from person "…`, `— from program "…`) gets `> ` put before it, wherever it is: a real one always
 * starts a line or follows our own text, and never has that mark before it. Nothing is removed, so the reader sees what
 * was written.
 */
export function defuseHeaders(body: string): string {
  const folded = fold(body);
  let defused = "";
  let from = 0;
  for (const match of folded.text.matchAll(IMITATION)) {
    const opening = openingOf(folded.text, match.index);
    if (isDefused(folded.text, opening)) continue;
    const start = folded.originOf(opening);
    defused += body.slice(from, start) + MARK;
    from = start;
  }
  return defused + body.slice(from);
}

const MARK = "> ";

/** On folded text. Each alternative starts at one character and covers disjoint ranges: linear. */
const IMITATION =
  /\[ *(?:\p{Nd}+ *)?messages? *from|\[ *\p{Nd}+ *messages? *\]|\( *\p{Nd}+ *\) *from|\[ *bellhop *\]|- *from *(?:session|(?:agent|person|program) *["\p{Pi}\p{Pf}])/gu;

/** The first of several dashes. */
function openingOf(folded: string, index: number): number {
  let at = index;
  while (at > 0 && folded[at] === "-" && folded[at - 1] === "-") at -= 1;
  return at;
}

function isDefused(folded: string, opening: number): boolean {
  return folded.slice(opening - MARK.length, opening) === MARK;
}

interface Folded {
  readonly text: string;
  /** Where the original of a folded character begins. */
  originOf(index: number): number;
}

/** As a reader sees it: without case, accents, width or invisible characters, with one kind of bracket and dash. */
function fold(body: string): Folded {
  // Most bodies are ASCII, where no position changes; the general way takes a tenth of a second for the longest body.
  if (/^[\0-\x7f]*$/.test(body)) {
    return { text: body.toLowerCase().replaceAll("\t", " "), originOf: (index) => index };
  }
  let text = "";
  const origins: number[] = [];
  const known = new Map<string, string>();
  let at = 0;
  for (const character of body) {
    const seen = known.get(character) ?? foldCharacter(character);
    known.set(character, seen);
    text += seen;
    for (let index = 0; index < seen.length; index += 1) origins.push(at);
    at += character.length;
  }
  return { text, originOf: (index) => origins[index] ?? body.length };
}

function foldCharacter(character: string): string {
  const bare = character.normalize("NFKD").toLowerCase().replace(INVISIBLE, "");
  return [...bare].map(lookAlike).join("");
}

const INVISIBLE = /[\p{Mark}\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

function lookAlike(character: string): string {
  if (/^[^\S\n]$/u.test(character)) return " ";
  if (/^[\p{Dash_Punctuation}\u2212\u2500\u2501\u30fc\u02d7\u2043]$/u.test(character)) return "-";
  return LOOK_ALIKES.get(character) ?? character;
}

/** Letters of "message from session bellhop" in other scripts, and characters that look like ours. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "[": "⁅❲⟦⟬⦋⦍⦏⦗⌈⌊⎡⎢⎣⸢⸤⹕⹗【〔〖〘〚「『︗︹︻﹇",
    "(": "❨❪⟮⦅⸨﴾﹙（",
    ")": "❩❫⟯⦆⸩﴿﹚）",
    "]": "⁆❳⟧⟭⦌⦎⦐⦘⌉⌋⎤⎥⎦⸣⸥⹖⹘】〕〗〙〛」』︘︺︼﹈",
    a: "аαɑ",
    b: "ьƅ",
    e: "еєεҽ",
    f: "ғϝƒ",
    g: "ɡց",
    h: "һհ",
    i: "іıι",
    l: "ӏⅼǀ",
    m: "мⅿ",
    n: "ոпη",
    o: "оοօσ",
    p: "рρ",
    r: "гꭇ",
    s: "ѕꜱ",
  }).flatMap(([plain, others]) => [...others].map((other): [string, string] => [other, plain])),
);
