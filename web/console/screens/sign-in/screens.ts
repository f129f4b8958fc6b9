export { AcceptInvitation } from './accept-invitation.tsx';
export { ChoosePassword } from './choose-password.tsx';
export { ForgotPassword } from './forgot-password.tsx';
export { SignIn } from './sign-in.tsx';
