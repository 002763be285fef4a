/** Parses the pages that users read. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface Page {
  /** As seen from the root: `docs/hooks.md`. */
  readonly path: string;
  readonly text: string;
}

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

export function allPages(): readonly Page[] {
  const inside = (folder: string) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name));
  return [...inside("."), ...inside("docs"), ...inside("docs/adr")].map(readPage);
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;

export function fencesIn({ text }: Page, language: string): readonly string[] {
  return [...text.matchAll(FENCE)].filter((found) => found[1] === language).map((found) => found[2] ?? "");
}

/** `code` between single backquotes; a line break inside counts as a space. */
export function inlineCodeIn({ text }: Page): readonly string[] {
  const prose = text.replace(FENCE, "");
  return [...prose.matchAll(/`([^`]+)`/g)].map((found) => (found[1] ?? "").replaceAll(/\s*\n\s*/g, " "));
}

export interface Link {
  readonly file: string;
  readonly heading: string | undefined;
}

/** Links to other pages, relative to the page's own folder. */
export function linksIn({ text }: Page): readonly Link[] {
  const prose = text.replace(FENCE, "").replaceAll(/`[^`]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((found) => found[1] ?? "")
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = "", heading] = target.split("#");
      return { file, heading };
    });
}

export function headingsIn({ text }: Page): readonly string[] {
  return [...text.replace(FENCE, "").matchAll(/^#+ (.+)$/gm)].map((found) =>
    (found[1] ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );
}

/** The cells of every table row whose first cell is code. */
export function tableRowsIn({ text }: Page): readonly (readonly string[])[] {
  return [...text.matchAll(/^\| (`.*) \|$/gm)].map((found) =>
    (found[1] ?? "").split("|").map((cell) => cell.trim()),
  );
}
