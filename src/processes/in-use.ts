/** One call to the kernel and no file: signal 0 only asks. Another user's process may not be asked, and is there. */
export function isInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
