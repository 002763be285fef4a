/** Styles that are loaded with the part of the page that needs them. */
declare module "*.css";
