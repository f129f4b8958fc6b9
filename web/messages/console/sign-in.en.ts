import type { Widened } from '../catalogues.ts';

export const messages = {
  title: 'Sign in',
  text: 'The console for producers and their teams.',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  forgotLink: 'Forgot your password?',
  ended: 'Your session has ended. Sign in to continue where you were.',
  second: {
    title: 'Second factor',
    text: 'The password is correct. Confirm that it is you.',
    code: 'Code of your authenticator app, or a recovery code',
    submit: 'Continue',
    passkey: 'Use a passkey',
    passkeyFailed: 'The passkey was not used. Try again, or enter a code.',
    or: 'or',
    back: 'Sign in as someone else',
    expired: 'This took too long. Enter your password again.',
  },
  forgot: {
    title: 'Forgot your password?',
    text: 'We send you a link to choose a new password.',
    submit: 'Send the link',
    sentTitle: 'Look into your mailbox',
    sent: 'If {email} has an account, a mail with a link is on its way. The link works for 1 hour.',
    back: 'Back to the sign-in',
  },
  choose: {
    title: 'Choose a new password',
    text: 'All your sessions end, and your API tokens stop working.',
    password: 'New password',
    hint: 'At least 10 characters.',
    submit: 'Save the password',
    done: 'Your password is changed. Sign in with it.',
  },
  invitation: {
    title: 'Welcome',
    text: 'Choose your name and a password to accept the invitation.',
    name: 'Your name',
    password: 'Password',
    submit: 'Accept the invitation',
    used: 'You have accepted this invitation before. Sign in.',
  },
  noToken: 'This link is incomplete. Open it from the mail again.',
  newLink: 'Ask for a new link',
} as const;

export type SignInMessages = Widened<typeof messages>;
