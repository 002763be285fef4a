/** What a key does in a tree, as screen readers expect it. Pure. */
import type { Line } from "./paths.ts";

export type TreeStep = { readonly kind: "go"; readonly key: string } | { readonly kind: "toggle" };

export function treeStep(lines: readonly Line[], at: string, key: string): TreeStep | undefined {
  const index = lines.findIndex((line) => line.key === at);
  const line = lines[index];
  if (line === undefined) return undefined;
  switch (key) {
    case "ArrowDown":
      return go(lines[index + 1]);
    case "ArrowUp":
      return go(lines[index - 1]);
    case "Home":
      return go(lines[0]);
    case "End":
      return go(lines.at(-1));
    case "ArrowRight":
      if (line.kind !== "path" || line.isOpen === undefined) return undefined;
      if (!line.isOpen) return { kind: "toggle" };
      return lines[index + 1]?.parent === line.key ? go(lines[index + 1]) : undefined;
    case "ArrowLeft":
      if (line.kind === "path" && line.isOpen === true) return { kind: "toggle" };
      return go(lines.find((one) => one.key === line.parent));
    default:
      return undefined;
  }
}

function go(line: Line | undefined): TreeStep | undefined {
  return line === undefined ? undefined : { kind: "go", key: line.key };
}
