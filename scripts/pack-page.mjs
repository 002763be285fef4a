/**
 * Builds the dashboard's page into a folder that the daemon serves: scripts and styles get names that change with their
 * content, whatever shrinks is compressed beforehand, and `files.json` lists what there is. The daemon serves nothing
 * that is not on that list. The service worker is built last, because it has the list of what it may keep.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build } from "vite";

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
const DIGEST_CHARACTERS = 16;
const PAGE = "/index.html";
const WORKER = "worker.js";
/** Addresses in the page of what it needs to be seen at all. */
const NEEDED = /"(\/(?:assets\/|manifest)[^"]+)"/g;

/** Returns the modules that are in it. */
export async function packPage(from, to) {
  const { output } = await build({
    configFile: false,
    root: from,
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      write: false,
      target: "es2022",
      // An inlined file is a script or a style that the page's policy does not know.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
  const made = output.map(({ fileName, code, source }) => [fileName, Buffer.from(code ?? source)]);
  const fixed = join(from, "public");
  for (const name of (await readdir(fixed)).sort()) made.push([name, await readFile(join(fixed, name))]);
  const files = {};
  for (const [name, bytes] of made) files[`/${name}`] = await pack(bytes, name, to);
  const html = made.find(([name]) => `/${name}` === PAGE)[1].toString();
  const worker = await packWorker(from, {
    version: digestOf(Buffer.from(JSON.stringify(files))).slice(0, DIGEST_CHARACTERS),
    first: [...new Set([...html.matchAll(NEEDED)].map(([, path]) => path))],
    // The page itself is served under many addresses.
    files: Object.keys(files).filter((path) => path !== PAGE),
  });
  files[`/${WORKER}`] = await pack(Buffer.from(worker), WORKER, to);
  await writeFile(join(to, "files.json"), JSON.stringify(files));
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** One plain script: not every browser takes modules there. */
async function packWorker(from, shell) {
  const { output } = await build({
    configFile: false,
    root: from,
    logLevel: "warn",
    publicDir: false,
    define: { SHELL: JSON.stringify(shell) },
    build: {
      write: false,
      target: "es2022",
      rolldownOptions: {
        input: join(from, "src", "worker", "worker.ts"),
        output: { format: "iife", entryFileNames: WORKER },
      },
    },
  });
  const [{ code }, ...others] = output;
  if (others.length > 0) throw new Error("the service worker is more than one file");
  return code;
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
