import type { PageTexts } from './page-texts.ts';

/** The pages in English. */
export const english: PageTexts = {
  language: 'en',
  direction: 'ltr',
  signIn: {
    title: 'Sign in',
    intro: (clientName) => `to continue to ${clientName}`,
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    refused: 'E-mail address or password is wrong.',
    throttled: 'Too many attempts failed. Please wait a few minutes and try again.',
  },
  consent: {
    title: 'Allow access?',
    intro: (clientName) => `${clientName} would like to`,
    signedInAs: (email) => `You are signed in as ${email}.`,
    allow: 'Allow',
    deny: 'Deny',
    scopes: {
      openid: 'know who you are',
      profile: 'see your name and profile',
      email: 'see your e-mail address',
      address: 'see your postal address',
      phone: 'see your telephone number',
      offline_access: 'keep this access while you are away',
      'read:data': 'read users, posts and comments',
      'read:profile': 'read your profile and e-mail address in the API',
      'write:data': 'write posts and comments in your name',
    },
    otherScope: (scope) => `use “${scope}”`,
  },
  logout: {
    title: 'Sign out',
    question: 'Do you want to sign out?',
    confirm: 'Sign out',
    stay: 'Stay signed in',
    done: 'You have signed out.',
    stayed: 'You are still signed in.',
  },
  error: {
    title: 'This did not work',
    expired: 'This page is no longer valid. Please go back to the application and start again.',
    refused: 'The application sent a request that can’t be answered. Please tell the people who run it.',
    unavailable: 'The service is not available at this moment. Please try again in a few seconds.',
    broken: 'Something failed on our side. Please try again later.',
    code: 'Error',
  },
};
