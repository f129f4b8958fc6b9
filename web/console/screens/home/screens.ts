export { HomeEditor } from './home-editor.tsx';
