/** `up` on a full disk: a file system of a few megabytes in its own namespace, filled except for this many bytes. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const cli = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "bin", "bellhop.cjs");

let mountPoint: string;

beforeEach(() => {
  mountPoint = mkdtempSync(join(tmpdir(), "bh-"));
});
afterEach(() => rmdirSync(mountPoint));

const MOUNT = `mount -t tmpfs -o size=8m,mode=700 small "$BELLHOP_HOME" && printf 'http: { port: 0 }\\n' > "$BELLHOP_HOME/config.yaml"`;
const FILL = `dd if=/dev/zero of="$BELLHOP_HOME/ballast" bs=1k count=$(($(df --output=avail -k "$BELLHOP_HOME" | tail -n 1) - $0)) 2>/dev/null`;
const DOWN = '"$1" "$2" down';
const UP = '"$1" "$2" up; echo "status $?"';

/** Only a daemon outlives the script, and it is told to stop. */
function run(freeKilobytes: number, steps: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const script = [MOUNT, ...steps].join("\n");
  return new Promise((resolve, reject) => {
    execFile(
      "unshare",
      ["-rm", "sh", "-c", script, String(freeKilobytes), process.execPath, cli],
      {
        env: { PATH: process.env.PATH, HOME: mountPoint, BELLHOP_HOME: mountPoint, TMUX_TMPDIR: mountPoint },
        // Well before a start gives up by itself.
        timeout: 25_000,
      },
      (error, stdout, stderr) => (error === null ? resolve({ stdout, stderr }) : reject(error)),
    );
  });
}

describe("up on a full disk", () => {
  // From no space, where not even an error can be logged, to space for the database but not for its write-ahead log.
  it.each([0, 16])("says so with %i KiB left, and ends", async (free) => {
    const { stdout, stderr } = await run(free, [FILL, UP, DOWN]);
    expect(stdout).toBe("status 1\nwas not running\n");
    expect(stderr).toMatch(/^bellhop: The disk is full: [^\n]+\.\n {2}Free some space and try again\.\n$/u);
  });

  it("starts where everything is there already, and leaves the last room to others", async () => {
    const { stdout } = await run(3_000, [UP, DOWN, FILL, UP, DOWN]);
    expect(stdout.match(/^status 0$/gmu)).toHaveLength(2);
    expect(stdout.match(/^stopped$/gmu)).toHaveLength(2);
    expect((await run(3_000, [FILL, UP, DOWN])).stdout).toMatch(/^status 0\nstopped$/mu);
  });
});
