import { describe, expect, it } from "vitest";
import { ERROR_CODES, type ErrorCode } from "../../core/errors.ts";
import { HTTP_STATUS, httpStatus } from "./status.ts";

const OURS = /^(?:internal\.bug|host\.start_failed$|store\.|daemon\.(?:stopping|out_of_files)$)/;

describe("the status of an error", () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])("of %s is chosen", (code) => {
    const status = httpStatus(code);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status >= 500).toBe(OURS.test(code));
  });

  it("is chosen for no code that does not exist", () => {
    expect(Object.keys(HTTP_STATUS).toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
  });

  it.each<[ErrorCode, number]>([
    ["recipient.unknown", 404],
    ["session.unknown", 404],
    ["message.unknown", 404],
    ["reminder.unknown", 404],
    ["request.malformed", 400],
    ["reminder.invalid", 400],
    ["message.too_large", 413],
    ["request.too_large", 413],
    ["recipient.ambiguous", 409],
    ["message.conflict", 409],
    ["session.exited", 410],
    ["request.throttled", 429],
    ["daemon.stopping", 503],
    ["daemon.out_of_files", 503],
    ["store.disk_full", 507],
  ])("%s → %i", (code, status) => expect(httpStatus(code)).toBe(status));
});
