/** Small programs that report that they have started and then do nothing, for the suites about failing hosts. */
import { readFileSync } from "node:fs";
import type { HostRecord } from "../../src/wire/host/host.ts";
import { hostRecords } from "../rig/hosts.ts";
import { until } from "../rig/scripted-agent.ts";
import type { HostedStage } from "./hosted-stage.ts";

export function sleepersOn(stage: HostedStage) {
  return {
    runs: (name: string) =>
      stage.bellhop.runDetached(["sh", "-c", "echo here; exec sleep 600"], { name, folder: stage.folder }),

    isThere: (name: string) =>
      until(async () => {
        const peeked = await stage.bellhop.ask("peek", { who: name }).catch(() => undefined);
        return peeked?.screen.trim() === "here";
      }, `${name} to be there`),

    recordOf(name: string): HostRecord {
      const record = hostRecords(stage.bellhop.home).find(({ agent }) => agent === name);
      if (record === undefined) throw new Error(`no host of ${name}`);
      return record;
    },

    async refusalOf(...args: readonly string[]) {
      const { code, stderr } = await stage.bellhop.run([...args, "--json"]);
      return { status: code, ...(JSON.parse(stderr) as { error: object }).error };
    },
  };
}

export function isOver(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX] /su.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}
