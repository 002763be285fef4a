import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What this process keeps, without what it has only not thrown away yet. */
export function bytesInUse(): number {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
