import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeAuthority } from "../../tests/rig/certificates.ts";
import { removeFolder } from "../../tests/rig/remove-folder.ts";
import { trustedIn } from "./trusted.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "bh-trusted-"));
  onTestFinished(() => removeFolder(made));
  return made;
}

it("takes one certificate, and several with words between them", async () => {
  const { cert } = makeAuthority(folder(), "ca");
  const text = await trustedIn(cert);
  expect(text).toContain("BEGIN CERTIFICATE");
  const bundle = join(folder(), "bundle.pem");
  writeFileSync(bundle, `# ours\n${text}\n# and again\n${text}`);
  expect(await trustedIn(bundle)).toContain("# and again");
});

it.each([
  ["nothing", undefined, "it is not there"],
  ["words", "no certificate\n", "it has no certificate"],
  ["a key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "it has no certificate"],
  [
    "half of one",
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    "certificate 1 in it cannot be understood",
  ],
])("names the file that has %s in it", async (_, text, why) => {
  const path = join(folder(), "ca.pem");
  if (text !== undefined) writeFileSync(path, text);
  await expect(trustedIn(path)).rejects.toMatchObject({
    words: expect.stringContaining(`cannot be used (${path}): ${why}`),
    retry: "rarely",
  });
});
