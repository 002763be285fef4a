import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import { openHome } from "../home/home.ts";
import { connectOrStart } from "./connect-or-start.ts";

it("tells a daemon its home by a path that means the same in any folder", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "bh-start-")));
  try {
    const told = join(folder, "told");
    const daemonEntry = join(folder, "daemon.mjs");
    writeFileSync(
      daemonEntry,
      `import { writeFileSync } from "node:fs";
      writeFileSync(${JSON.stringify(told)}, process.env.BELLHOP_HOME ?? "");
      process.exit(1);`,
    );
    const env = { ...process.env, BELLHOP_HOME: relative(process.cwd(), join(folder, "home")) };
    const place = {
      daemonEntry,
      env,
      now: Date.now,
      began: Date.now,
      home: () => openHome(env, { create: false }),
      createHome: () => openHome(env, { create: true }),
    };
    await expect(connectOrStart(place, "if-needed")).rejects.toMatchObject({ code: "daemon.start_failed" });
    expect(readFileSync(told, "utf8")).toBe(join(folder, "home"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
