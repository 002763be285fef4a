/** The desk's classifier: runs the configured command once, in an empty folder, within its time. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment } from "../core/rights/child-environment.ts";
import type { Classifier } from "../ports/classifier.ts";
import {
  type ClassifierSettings,
  classifierAnswer,
  classifierCommand,
  classifierInput,
} from "../programs/claude/classifier.ts";
import { runOnce } from "../system/one-shot.ts";

const MOST_BYTES = 1024 * 1024;

export interface ClassifierParts {
  settings(): ClassifierSettings & { readonly timeoutMs: number };
  /** A folder of ours, in which it gets an empty one. */
  readonly scratch: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function commandClassifier({ settings, scratch, environment }: ClassifierParts): Classifier {
  return {
    async classify(text, labels) {
      const chosen = settings();
      const folder = mkdtempSync(join(scratch, "classify-"));
      try {
        const outcome = await runOnce({
          command: classifierCommand(chosen, labels),
          stdin: classifierInput(text, labels),
          folder,
          // It is nobody's agent, and a failed request is not worth waiting for.
          environment: childEnvironment(environment, { CLAUDE_CODE_MAX_RETRIES: "0" }),
          timeoutMs: chosen.timeoutMs,
          mostBytes: MOST_BYTES,
        });
        switch (outcome.kind) {
          case "late":
            return { none: `no answer within ${chosen.timeoutMs / 1_000} s` };
          case "too-long":
            return { none: "its answer was too long" };
          case "failed":
            return { none: unstarted(outcome.why) };
          case "ended": {
            if (outcome.code !== 0) return { none: `it failed (exit status ${outcome.code})` };
            const answer = classifierAnswer(outcome.stdout, labels);
            if (answer === undefined) return { none: "its answer was not one of the labels" };
            return answer === "none" ? { none: "it saw nobody addressed" } : answer;
          }
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

function unstarted(why: string): string {
  const missing = /^spawn (\S+) ENOENT$/u.exec(why)?.[1];
  return missing === undefined ? `it could not be started: ${why}` : `"${missing}" is not installed here`;
}
