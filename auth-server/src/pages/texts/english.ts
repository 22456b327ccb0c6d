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
  device: {
    title: 'Connect a device',
    code: 'Code that the device shows',
    submit: 'Continue',
    unknown: 'There is no such code, or it has expired.',
    throttled: 'Too many codes were wrong. Please wait a few minutes and try again.',
    compare: 'Go on only if your device shows this code:',
    allowed: 'Done. You can go back to your device.',
    denied: 'The device gets no access. You can close this page.',
  },
  logout: {
    title: 'Sign out',
    question: 'Do you want to sign out?',
    confirm: 'Sign out',
    stay: 'Stay signed in',
    done: 'You have signed out.',
    stayed: 'You are still signed in.',
  },
  account: {
    title: 'Your account',
    sessions: 'Where you are signed in',
    someBrowser: 'A browser',
    since: (moment) => `since ${moment}`,
    thisBrowser: 'This browser',
    end: 'Sign out there',
    endOthers: 'Sign out everywhere else',
    applications: 'Applications with access',
    noApplications: 'There are none.',
    withdraw: 'Withdraw access',
    password: 'Password',
    current: 'Current password',
    change: 'Change password',
    changed: 'Your password was changed. All other sessions and applications have been signed out.',
    refused: 'The current password is wrong.',
    throttled: 'Too many attempts failed. Please wait a few minutes and try again.',
  },
  passwordProblems: {
    short: 'The new password must have at least 8 characters.',
    long: 'The new password must have at most 1,024 characters.',
    common: 'This password is one of those that are guessed first. Please choose another one.',
    personal:
      'This password is made of your address, your name or the name of this site. Please add words of your own.',
  },
  link: {
    title: 'Choose a password',
    intro: (email) => `for the account ${email}`,
    password: 'New password',
    submit: 'Save password',
    done: 'Your password is saved. You can sign in with it now.',
  },
  signUp: {
    title: 'Create an account',
    intro: 'We will send you a link with which you choose a password.',
    name: 'Name',
  },
  forgotten: {
    title: 'Forgot your password?',
    intro: 'We will send you a link with which you choose a new one.',
  },
  mail: {
    submit: 'Send me a link',
    sent: (email) => `If a message can be sent to ${email}, it is on its way. Please look into your inbox.`,
    unfit: 'Please fill in all fields with what they ask for.',
    throttled: 'Too many messages were asked for. Please try again later.',
    signUpSubject: 'Your new account',
    signUp: (link) =>
      `Choose a password for your new account here:\n${link}\n\nIf you did not ask for an account, ignore this message.`,
    resetSubject: 'Your password',
    reset: (link) =>
      `Choose a new password for your account here:\n${link}\n\nIf you did not ask for this, ignore this message: nothing has changed.`,
    notices: {
      password_changed: {
        subject: 'Your password was changed',
        text: (_what, moment, link) =>
          `The password of your account was changed on ${moment}.\n\nIf it was not you, choose another one now, by “Forgot your password?” at\n${link}`,
      },
      new_device: {
        subject: 'A new sign-in to your account',
        text: (browser, moment, link) =>
          `Somebody signed in to your account on ${moment} with a browser that was not used for it before: ${browser ?? 'an unknown one'}.\n\nIf it was not you, end that session and change your password at\n${link}`,
      },
      address_withdrawn: {
        subject: 'This is no longer the address of your account',
        text: (_what, moment) =>
          `Since ${moment} your account has another e-mail address. Messages no longer come to this one.\n\nIf you did not ask for that, tell the people who run this service.`,
      },
    },
  },
  error: {
    title: 'This did not work',
    expired: 'This page is no longer valid. Please go back to the application and start again.',
    refused: 'The application sent a request that can’t be answered. Please tell the people who run it.',
    tooMany: 'Too many requests come from your network. Please wait a moment and try again.',
    unavailable: 'The service is not available at this moment. Please try again in a few seconds.',
    broken: 'Something failed on our side. Please try again later.',
    code: 'Error',
  },
};
