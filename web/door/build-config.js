import { drawIcons } from './draw-icons.js';
import { noPreload } from './no-preload.js';

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
