import type { PageTexts } from './page-texts.ts';

/** The pages in German. */
export const german: PageTexts = {
  language: 'de',
  direction: 'ltr',
  signIn: {
    title: 'Anmelden',
    intro: (clientName) => `um mit ${clientName} fortzufahren`,
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    refused: 'E-Mail-Adresse oder Passwort ist falsch.',
    throttled: 'Zu viele Versuche sind fehlgeschlagen. Bitte warten Sie einige Minuten.',
  },
  consent: {
    title: 'Zugriff erlauben?',
    intro: (clientName) => `${clientName} möchte`,
    signedInAs: (email) => `Sie sind angemeldet als ${email}.`,
    allow: 'Erlauben',
    deny: 'Ablehnen',
    scopes: {
      openid: 'wissen, wer Sie sind',
      profile: 'Ihren Namen und Ihr Profil sehen',
      email: 'Ihre E-Mail-Adresse sehen',
      address: 'Ihre Postanschrift sehen',
      phone: 'Ihre Telefonnummer sehen',
      offline_access: 'diesen Zugriff auch in Ihrer Abwesenheit behalten',
      'read:data': 'Personen, Beiträge und Kommentare lesen',
      'read:profile': 'Ihr Profil und Ihre E-Mail-Adresse über die Schnittstelle lesen',
      'write:data': 'in Ihrem Namen Beiträge und Kommentare schreiben',
    },
    otherScope: (scope) => `„${scope}“ verwenden`,
  },
  device: {
    title: 'Gerät verbinden',
    code: 'Code, den das Gerät zeigt',
    submit: 'Weiter',
    unknown: 'Diesen Code gibt es nicht, oder er ist abgelaufen.',
    throttled: 'Zu viele Codes waren falsch. Bitte warten Sie einige Minuten.',
    compare: 'Fahren Sie nur fort, wenn Ihr Gerät diesen Code zeigt:',
    allowed: 'Fertig. Sie können zu Ihrem Gerät zurückkehren.',
    denied: 'Das Gerät erhält keinen Zugriff. Sie können diese Seite schließen.',
  },
  logout: {
    title: 'Abmelden',
    question: 'Möchten Sie sich abmelden?',
    confirm: 'Abmelden',
    stay: 'Angemeldet bleiben',
    done: 'Sie sind abgemeldet.',
    stayed: 'Sie sind weiterhin angemeldet.',
  },
  error: {
    title: 'Das hat nicht funktioniert',
    expired: 'Diese Seite ist nicht mehr gültig. Bitte beginnen Sie in der Anwendung von vorn.',
    refused:
      'Die Anwendung hat eine Anfrage gestellt, die nicht beantwortet werden kann. Bitte melden Sie es ihren Betreibern.',
    unavailable:
      'Der Dienst ist im Moment nicht erreichbar. Bitte versuchen Sie es in einigen Sekunden noch einmal.',
    broken: 'Bei uns ist etwas fehlgeschlagen. Bitte versuchen Sie es später noch einmal.',
    code: 'Fehler',
  },
};
