import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** `import text from "./file?raw"`, as in vitest: what Bellhop writes into the folders of other programs. */
export function fileAsText() {
  const mark = "?raw";
  return {
    name: "file-as-text",
    resolveId: (id, importer) => (id.endsWith(mark) ? join(dirname(importer), id) : undefined),
    async load(id) {
      if (!id.endsWith(mark)) return undefined;
      const text = await readFile(id.slice(0, -mark.length), "utf8");
      return { code: `export default ${JSON.stringify(text)};`, moduleType: "js" };
    },
  };
}
