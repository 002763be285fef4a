/**
 * Packs the dashboard's page into a folder that the daemon serves: scripts and styles get names that change with their
 * content, whatever shrinks is compressed beforehand, and `files.json` lists what there is. The daemon serves nothing
 * that is not on that list.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};
const HASHED = [".js", ".css"];
const DIGEST_CHARACTERS = 16;

export async function packPage(from, to) {
  const names = (await readdir(from)).filter((name) => extname(name) in TYPES).sort();
  const contents = new Map();
  for (const name of names) contents.set(name, await readFile(join(from, name)));
  const published = new Map(names.map((name) => [name, publishedName(name, contents.get(name))]));
  const files = {};
  for (const name of names) {
    const bytes = extname(name) === ".html" ? linked(contents.get(name), published) : contents.get(name);
    const path = published.get(name);
    files[`/${path}`] = await pack(bytes, path, to);
  }
  await writeFile(join(to, "files.json"), JSON.stringify(files));
}

function publishedName(name, bytes) {
  const ending = extname(name);
  if (!HASHED.includes(ending)) return name;
  return `assets/${name.slice(0, -ending.length)}-${digestOf(bytes).slice(0, 8)}${ending}`;
}

/** The page names its files as they stand beside it in the source. */
function linked(bytes, published) {
  return Buffer.from(
    bytes.toString("utf8").replaceAll(/(?<=(?:src|href)=")\.\/([^"]+)(?=")/g, (_, name) => {
      const path = published.get(name);
      if (path === undefined) throw new Error(`The page names a file that is not there: ${name}`);
      return `/${path}`;
    }),
  );
}

async function pack(bytes, path, to) {
  const target = join(to, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, bytes);
  const codings = [];
  for (const [coding, ending, compressed] of [
    ["br", ".br", await brotli(bytes)],
    ["gzip", ".gz", await promisify(gzip)(bytes, { level: 9 })],
  ]) {
    if (compressed.length >= bytes.length) continue;
    await writeFile(`${target}${ending}`, compressed);
    codings.push(coding);
  }
  return { type: TYPES[extname(path)], digest: digestOf(bytes).slice(0, DIGEST_CHARACTERS), codings };
}

function brotli(bytes) {
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
}

function digestOf(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
