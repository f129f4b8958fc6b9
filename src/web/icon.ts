/** The icon of the site. The drawing is the logo of `web/ui/logo.tsx`. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>@media(prefers-color-scheme:dark){.t{fill:#a78bfa}.l{fill:#17112e}}</style>' +
  '<path class="t" fill="#5b2be0" d="M9 1h14a8 8 0 0 1 8 8v3.3a3.9 3.9 0 0 0 0 7.4V23a8 8 0 0 1-8 8H9a8 8 0 0 1-8-8v-3.3a3.9 3.9 0 0 0 0-7.4V9a8 8 0 0 1 8-8Z"/>' +
  '<path class="l" fill="#fff" d="M8.5 8h15v4.6h-15zM13.7 12.6h4.6V23h-4.6z"/></svg>';
