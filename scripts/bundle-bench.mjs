// Bundles what measures, with the code that is measured.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./ensure.mjs";
import { fileAsText } from "./file-as-text.mjs";

/** Returns the folder with a module for each input, which is gone when this process ends. */
export async function bundled(input) {
  // Inside the project, so that packages that are not bundled are found in its node_modules.
  const folder = join(root, "node_modules", ".cache", `bellhop-bench-${process.pid}`);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { rolldown } = await import("rolldown");
  const made = await rolldown({
    input: Object.fromEntries(Object.entries(input).map(([name, file]) => [name, join(root, file)])),
    platform: "node",
    external: [/^node:/, /^@photostructure\//, /^playwright-core/, /^libsodium-wrappers/],
    transform: { define: { BELLHOP_VERSION: '"bench"' } },
    plugins: [
      fileAsText(),
      {
        // A module finds the files next to its source, not next to its bundle.
        name: "own-address",
        transform: (code, id) =>
          !id.endsWith("?raw") && code.includes("import.meta.url")
            ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
            : undefined,
      },
    ],
  });
  await made.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs" });
  await made.close();
  return folder;
}
