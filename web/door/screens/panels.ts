/* The screens that are not part of scanning. They are one file, which is loaded when the first of them is needed. */

export { AttentionList } from './attention.tsx';
export { Choose } from './choose.tsx';
export { Menu } from './menu.tsx';
export { SearchGuest } from './search-guest.tsx';
export { SignIn } from './sign-in.tsx';
export { Trouble } from './trouble.tsx';
export { TypeCode } from './type-code.tsx';
