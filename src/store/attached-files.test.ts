import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { attachedFilesIn } from "./attached-files.ts";

function stage() {
  const folder = mkdtempSync(join(tmpdir(), "bellhop-attached-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const messages = join(folder, "messages");
  return { folder, messages, files: attachedFilesIn(messages) };
}

const bytes = (text: string) => Buffer.from(text);

describe("attached files", () => {
  it("are kept byte for byte, for their owner alone, and once however often they are sent", async () => {
    const { messages, files } = stage();
    const content = Buffer.from([0, 255, 10, 13, 27]);
    const path = await files.attach("../a b.bin", content);
    expect(path.startsWith(join(messages, "_attached"))).toBe(true);
    expect(path.endsWith("/a-b.bin")).toBe(true);
    expect(readFileSync(path)).toEqual(content);
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(lstatSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(await files.attach("a b.bin", content)).toBe(path);
    expect(await files.attach("a b.bin", bytes("other"))).not.toBe(path);
  });

  it("are what was sent, also if somebody changed what was kept", async () => {
    const { files } = stage();
    const path = await files.attach("a.txt", bytes("run the tests"));
    writeFileSync(path, "RUN the tests");
    expect(await files.attach("a.txt", bytes("run the tests"))).toBe(path);
    expect(readFileSync(path, "utf8")).toBe("run the tests");
  });

  it("go through no link", async () => {
    const { folder, messages, files } = stage();
    mkdirSync(messages);
    mkdirSync(join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), join(messages, "_attached"));
    await expect(files.attach("a.txt", bytes("a"))).rejects.toMatchObject({ code: "file.unsafe" });
  });

  it("are forgotten by age, counted from when they were last sent", async () => {
    const { files } = stage();
    const [old, again] = [await files.attach("a.txt", bytes("a")), await files.attach("b.txt", bytes("b"))];
    for (const path of [old, again]) utimesSync(dirname(path), 1_000, 1_000);
    await files.attach("b.txt", bytes("b"));
    await files.forgetAttachedBefore(2_000_000);
    expect(() => readFileSync(old)).toThrow("ENOENT");
    expect(readFileSync(again, "utf8")).toBe("b");
  });
});
