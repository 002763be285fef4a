import { EXIT } from "../../../core/errors.ts";
import { sanitiseLine, sanitiseText } from "../../../core/text/sanitise.ts";
import type { Command } from "../../command.ts";
import type { Finding } from "../../local/check.ts";
import type { Output, Style } from "../../printing/output.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "check that everything is in place, and say what to fix",
  usage: ["doctor"],
  examples: [{ command: "bellhop doctor", does: "only looks; changes nothing" }],
  run: async (context) => {
    const { machineFindings } = await import("../../local/machine-checks.ts");
    const { hookFindings } = await import("../../local/hook-checks.ts");
    const { daemonFindings } = await import("../../local/daemon-checks.ts");
    const findings = [
      ...(await machineFindings(context)),
      ...hookFindings(context),
      ...(await daemonFindings(context)),
    ];
    const failed = findings.some(({ verdict }) => verdict === "fail");
    context.out.result({ ok: !failed, checks: findings }, () => {
      for (const finding of findings) print(context.out, finding);
    });
    return failed ? EXIT.failed : EXIT.ok;
  },
};

const MARKS: Readonly<Record<Finding["verdict"], readonly [string, Style]>> = {
  ok: ["ok  ", "green"],
  warn: ["warn", "yellow"],
  fail: ["FAIL", "red"],
};

function print(out: Output, { name, verdict, detail, next }: Finding): void {
  const [mark, style] = MARKS[verdict];
  out.line(`${out.paint(style, mark)}  ${sanitiseLine(name)}: ${sanitiseText(detail)}`);
  if (next !== undefined) out.line(`      ${sanitiseText(next)}`);
}
