/** A file as text; the build and vitest both know it. */
declare module "*?raw" {
  const text: string;
  export default text;
}
