/** How many file descriptors this process may have open; undefined if the system does not say. */
import { readFileSync } from "node:fs";

export function descriptorLimit(): number | undefined {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    if (line !== null) return Number(line[1]);
  } catch {
    // No such file: not Linux.
  }
  try {
    const report = process.report.getReport() as {
      readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
    };
    const soft = report.userLimits?.open_files?.soft;
    return typeof soft === "number" ? soft : undefined;
  } catch {
    return undefined;
  }
}
