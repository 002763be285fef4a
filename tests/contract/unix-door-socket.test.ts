import { once } from "node:events";
import { chmodSync, lstatSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "../../src/client/connect.ts";
import type { BellhopError } from "../../src/core/errors.ts";
import { heldBack, STATUS, UnixDoorStage } from "./unix-door-stage.ts";

let stage: UnixDoorStage;
beforeEach(() => {
  stage = new UnixDoorStage();
});
afterEach(() => stage.dispose());

describe("the Unix door", () => {
  it("is a socket that only its owner can open", async () => {
    await stage.start({});
    expect(statSync(stage.path).mode & 0o777).toBe(0o600);
    expect(lstatSync(stage.path).isSocket()).toBe(true);
  });

  it("answers what is under way before it closes, and tells the rest that it stops", async () => {
    const soon = heldBack(STATUS);
    await stage.start({
      status: soon.give,
      wait: () => new Promise(() => {}),
    });
    const one = await stage.client();
    const quick = one.call("status", {});
    const never = one.call("wait", { id: "m", state: "read" }).catch((error: BellhopError) => error.code);
    while (stage.script.asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const closing = stage.closeDoor(50);
    soon.release();
    expect((await quick).pid).toBe(1);
    expect(await never).toBe("daemon.stopping");
    await closing;
    await expect(connect(stage.path)).rejects.toMatchObject({ code: "daemon.not_running" });
  });

  it("takes the place of a socket that nobody listens on", async () => {
    await stage.start({});
    await stage.closeDoor();
    const dead = createServer().listen(stage.path);
    await once(dead, "listening");
    const { renameSync } = await import("node:fs");
    renameSync(stage.path, `${stage.path}.kept`);
    dead.close();
    await once(dead, "close");
    renameSync(`${stage.path}.kept`, stage.path);
    await stage.start({ status: async () => STATUS });
    expect((await (await stage.client()).call("status", {})).pid).toBe(1);
  });

  it("refuses a path where someone listens, a file or a link stands, or that is too long", async () => {
    const other = createServer().listen(stage.path);
    await once(other, "listening");
    await expect(stage.start({})).rejects.toMatchObject({ code: "daemon.socket_taken" });
    other.close();
    await once(other, "close");
    writeFileSync(stage.path, "");
    await expect(stage.start({})).rejects.toMatchObject({ code: "daemon.socket_taken" });
    rmSync(stage.path);
    symlinkSync("/nowhere", stage.path);
    await expect(stage.start({})).rejects.toMatchObject({ code: "daemon.socket_taken" });
    expect(lstatSync(stage.path).isSymbolicLink()).toBe(true);
    const tooLong = join(stage.folder, "x".repeat(100));
    await expect(stage.start({}, {}, tooLong)).rejects.toMatchObject({ code: "home.path_too_long" });
  });

  it("tells a daemon that does not run from one that cannot be reached", async () => {
    await expect(connect(stage.path)).rejects.toMatchObject({ code: "daemon.not_running" });
    if (process.getuid?.() !== 0) {
      await stage.start({});
      chmodSync(stage.path, 0);
      await expect(connect(stage.path)).rejects.toMatchObject({ code: "daemon.unreachable" });
    }
  });
});
