import { noPreload } from '../no-preload.js';

/** How Vite builds the console. Areas and languages are files of their own. All styles are one file, so that a lazy area never moves what is shown. */
export const consoleBuild = {
  base: '/console/files/',
  plugins: [noPreload()],
  build: {
    outDir: 'dist/web/console',
    emptyOutDir: true,
    assetsDir: '',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    manifest: 'manifest.json',
    modulePreload: false,
    rolldownOptions: { input: { console: 'web/console/main.tsx' } },
  },
};
