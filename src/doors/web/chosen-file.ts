/** Which file of the page answers a request, and in which coding. Pure: files are known by a list, never by a path. */

/** Best first; `identity` is always there. */
const CODINGS = ["br", "gzip"] as const;
type Coding = (typeof CODINGS)[number];

/** One entry of the list that the build writes, by its path on the wire: `/assets/page-1a2b3c4d.js`. */
export interface PageFile {
  readonly type: string;
  /** Of its content. */
  readonly digest: string;
  readonly codings: readonly Coding[];
}

export type PageFiles = Readonly<Record<string, PageFile>>;

export interface Wanted {
  /** As the caller wrote it, without the query; nothing is decoded. */
  readonly path: string;
  readonly accept: string | undefined;
}

/** `elsewhere`: it is for nobody in particular, and not for the page. */
export type Choice =
  | { readonly kind: "file"; readonly path: string; readonly file: PageFile }
  | { readonly kind: "missing" | "elsewhere" };

const PAGE = "/index.html";
/** Their names change with their content. */
const ASSETS = "/assets/";

/** For a path that no route has. */
export function chooseFile(files: PageFiles, { path, accept }: Wanted): Choice {
  const isKnown = Object.hasOwn(files, path);
  if (!isKnown && path.startsWith(ASSETS)) return { kind: "missing" };
  const name = isKnown ? path : path === "/" || takesPages(accept) ? PAGE : undefined;
  if (name === undefined) return { kind: "elsewhere" };
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  return file === undefined ? { kind: "missing" } : { kind: "file", path: name, file };
}

function takesPages(accept = ""): boolean {
  return accept.split(",").some((range) => range.split(";")[0]?.trim().toLowerCase() === "text/html");
}

export function chooseCoding({ codings }: PageFile, acceptEncoding = ""): Coding | undefined {
  const taken = new Map(
    acceptEncoding.split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      return [name, !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))] as const;
    }),
  );
  return CODINGS.find((coding) => codings.includes(coding) && (taken.get(coding) ?? taken.get("*") ?? false));
}

/** Each coding has its own bytes, and so its own mark. */
export function entityTag({ digest }: PageFile, coding: Coding | undefined): string {
  return `"${digest}${coding === undefined ? "" : `-${coding}`}"`;
}

export function isUnchanged(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const marks = ifNoneMatch.split(",").map((mark) => mark.trim().replace(/^W\//, ""));
  return marks.includes(tag) || marks.includes("*");
}

export function cacheControl(path: string): string {
  return path.startsWith(ASSETS) ? "public, max-age=31536000, immutable" : "no-cache";
}

/** Where the build put the bytes. */
export function fileName(path: string, coding: Coding | undefined): string {
  const ending = coding === undefined ? "" : coding === "br" ? ".br" : ".gz";
  return `${path.slice(1)}${ending}`;
}
