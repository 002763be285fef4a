import { expect, it } from "vitest";
import { ATTACHED_LIMITS } from "../../../src/core/text/attached.ts";
import { bytesInWords, faultOf, toBase64 } from "./attaching.ts";

it("writes any bytes as the daemon reads them", () => {
  for (const length of [0, 1, 2, 3, 100_001]) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7) % 256);
    expect(Uint8Array.from(atob(toBase64(bytes)), (one) => one.charCodeAt(0))).toEqual(bytes);
  }
});

it("says what is too much before it is sent", () => {
  const { files, bytes } = ATTACHED_LIMITS;
  expect(faultOf([{ size: bytes }])).toBeUndefined();
  expect(faultOf([{ size: bytes }, { size: 1 }])?.message).toBe("Files may have 4.0 MB together.");
  expect(faultOf(Array.from({ length: files }, () => ({ size: 1 })))).toBeUndefined();
  expect(faultOf(Array.from({ length: files + 1 }, () => ({ size: 1 })))?.code).toBe("message.too_large");
});

it("says a size in words", () => {
  expect([12, 2_048, 3_500_000].map(bytesInWords)).toEqual(["12 B", "2 kB", "3.3 MB"]);
});
