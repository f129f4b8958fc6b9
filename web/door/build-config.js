import { drawIcons } from './draw-icons.js';

/** Vite adds a kilobyte to preload styles of lazy files. The files of this app have none. */
const noPreload = () => ({
  name: 'no-preload',
  enforce: 'pre',
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null),
});

/** How Vite builds the door app. Its folder contains exactly the files that it needs offline. */
export const doorBuild = {
  base: '/door/files/',
  plugins: [drawIcons(), noPreload()],
  worker: { format: 'es' },
  build: {
    outDir: 'dist/web/door',
    emptyOutDir: true,
    assetsDir: '',
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    modulePreload: false,
    rolldownOptions: { input: { door: 'web/door/main.tsx' } },
  },
};
