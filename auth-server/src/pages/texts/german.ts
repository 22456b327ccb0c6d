import type { LanguageTexts } from './page-texts.ts';

/** The pages in German. */
export const german: LanguageTexts = {
  language: 'de',
  direction: 'ltr',
  signIn: {
    title: 'Anmelden',
    intro: (clientName) => `um mit ${clientName} fortzufahren`,
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    submit: 'Anmelden',
    rejected: 'E-Mail-Adresse oder Passwort ist falsch.',
    throttled: 'Zu viele Versuche sind fehlgeschlagen. Bitte warten Sie einige Minuten.',
  },
  consent: {
    title: 'Zugriff erlauben?',
    intro: (clientName) => `${clientName} möchte`,
    unvetted: 'Diese Anwendung hat sich selbst registriert. Niemand hier hat ihren Namen geprüft.',
    destination: (host) => `Ihre Antwort geht an ${host}.`,
    signedInAs: (email) => `Sie sind angemeldet als ${email}.`,
    notYou: 'Nicht Sie? Als jemand anderes anmelden',
    website: 'Website',
    policy: 'Datenschutzerklärung',
    terms: 'Nutzungsbedingungen',
    allow: 'Erlauben',
    deny: 'Ablehnen',
    scopes: {
      openid: 'wissen, wer Sie sind',
      profile: 'Ihren Namen und Ihr Profil sehen',
      email: 'Ihre E-Mail-Adresse sehen',
      address: 'Ihre Postanschrift sehen',
      phone: 'Ihre Telefonnummer sehen',
      offline_access: 'diesen Zugriff auch in Ihrer Abwesenheit behalten',
      'auth:admin': 'hier alles verwalten: Konten, Anwendungen, Zugriffe und Schlüssel',
      'auth:accounts:read': 'alle Konten sehen',
      'auth:accounts:write': 'Personen einladen, Konten ändern und sperren',
      'auth:audit:read': 'das Protokoll sicherheitsrelevanter Ereignisse lesen',
      'auth:clients:read': 'alle registrierten Anwendungen sehen',
      'auth:clients:write': 'Anwendungen registrieren, ändern und entfernen',
      'auth:grants:read': 'sehen, was alle den Anwendungen erlaubt haben',
      'auth:grants:write': 'Personen abmelden und beenden, was sie Anwendungen erlaubt haben',
      'auth:keys:read': 'die Signaturschlüssel sehen',
      'auth:keys:write': 'die Signaturschlüssel ersetzen',
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
  formPost: {
    title: 'Zurück zur Anwendung',
    intro: (host) =>
      `Sie werden zu ${host} zurückgeleitet. Wenn nichts geschieht, setzen Sie mit der Schaltfläche fort.`,
    submit: 'Fortsetzen',
  },
  logout: {
    title: 'Abmelden',
    question: 'Möchten Sie sich abmelden?',
    confirm: 'Abmelden',
    stay: 'Angemeldet bleiben',
    done: 'Sie sind abgemeldet.',
    stayed: 'Sie sind weiterhin angemeldet.',
  },
  account: {
    title: 'Ihr Konto',
    sessions: 'Wo Sie angemeldet sind',
    someBrowser: 'Ein Browser',
    since: (moment) => `seit ${moment}`,
    thisBrowser: 'Dieser Browser',
    end: 'Dort abmelden',
    endOthers: 'Überall sonst abmelden',
    applications: 'Anwendungen mit Zugriff',
    noApplications: 'Es gibt keine.',
    withdraw: 'Zugriff entziehen',
    password: 'Passwort',
    current: 'Bisheriges Passwort',
    change: 'Passwort ändern',
    changed: 'Ihr Passwort ist geändert. Alle anderen Sitzungen und Anwendungen wurden abgemeldet.',
    rejected: 'Das bisherige Passwort ist falsch.',
    throttled: 'Zu viele Versuche sind gescheitert. Bitte warten Sie einige Minuten.',
  },
  passwordProblems: {
    short: 'Das neue Passwort muss mindestens 8 Zeichen haben.',
    long: 'Das neue Passwort darf höchstens 1.024 Zeichen haben.',
    common: 'Dieses Passwort gehört zu denen, die zuerst probiert werden. Bitte wählen Sie ein anderes.',
    personal:
      'Dieses Passwort besteht aus Ihrer Adresse, Ihrem Namen oder dem Namen dieser Seite. Bitte fügen Sie eigene Wörter hinzu.',
  },
  link: {
    title: 'Passwort wählen',
    intro: (email) => `für das Konto ${email}`,
    password: 'Neues Passwort',
    submit: 'Passwort speichern',
    done: 'Ihr Passwort ist gespeichert. Sie können sich jetzt damit anmelden.',
  },
  signUp: {
    title: 'Konto anlegen',
    intro: 'Wir schicken Ihnen einen Link, über den Sie ein Passwort wählen.',
    name: 'Name',
  },
  forgotten: {
    title: 'Passwort vergessen?',
    intro: 'Wir schicken Ihnen einen Link, über den Sie ein neues wählen.',
  },
  mail: {
    submit: 'Link schicken',
    sent: (email) =>
      `Wenn an ${email} eine Nachricht gehen kann, ist sie unterwegs. Bitte sehen Sie in Ihr Postfach.`,
    unfit: 'Bitte füllen Sie alle Felder passend aus.',
    throttled: 'Zu viele Nachrichten wurden angefordert. Bitte versuchen Sie es später.',
    signUpSubject: 'Ihr neues Konto',
    signUp: (link) =>
      `Wählen Sie hier ein Passwort für Ihr neues Konto:\n${link}\n\nWenn Sie kein Konto angefordert haben, können Sie diese Nachricht übergehen.`,
    resetSubject: 'Ihr Passwort',
    reset: (link) =>
      `Wählen Sie hier ein neues Passwort für Ihr Konto:\n${link}\n\nWenn Sie das nicht angefordert haben, können Sie diese Nachricht übergehen: Nichts hat sich geändert.`,
    notices: {
      password_changed: {
        subject: 'Ihr Passwort wurde geändert',
        text: (_what, moment, link) =>
          `Das Passwort Ihres Kontos wurde am ${moment} geändert.\n\nWenn Sie das nicht waren, wählen Sie jetzt ein anderes, mit „Passwort vergessen?“ auf\n${link}`,
      },
      new_device: {
        subject: 'Eine neue Anmeldung bei Ihrem Konto',
        text: (browser, moment, link) =>
          `Am ${moment} hat sich jemand mit einem Browser bei Ihrem Konto angemeldet, der dafür noch nicht benutzt wurde: ${browser ?? 'ein unbekannter'}.\n\nWenn Sie das nicht waren, beenden Sie diese Sitzung und ändern Sie Ihr Passwort auf\n${link}`,
      },
      address_withdrawn: {
        subject: 'Dies ist nicht mehr die Adresse Ihres Kontos',
        text: (_what, moment) =>
          `Seit ${moment} hat Ihr Konto eine andere E-Mail-Adresse. An diese gehen keine Nachrichten mehr.\n\nWenn Sie das nicht veranlasst haben, melden Sie sich bei den Betreibern dieses Dienstes.`,
      },
    },
  },
  links: { label: 'Über diesen Dienst', privacy: 'Datenschutz', terms: 'Nutzungsbedingungen', help: 'Hilfe' },
  error: {
    title: 'Das hat nicht funktioniert',
    expired: 'Diese Seite ist nicht mehr gültig. Bitte beginnen Sie in der Anwendung von vorn.',
    rejected:
      'Die Anwendung hat eine Anfrage gestellt, die nicht beantwortet werden kann. Bitte melden Sie es ihren Betreibern.',
    tooMany:
      'Aus Ihrem Netz kommen zu viele Anfragen. Bitte warten Sie einen Augenblick und versuchen Sie es noch einmal.',
    unavailable:
      'Der Dienst ist im Moment nicht erreichbar. Bitte versuchen Sie es in einigen Sekunden noch einmal.',
    broken: 'Bei uns ist etwas fehlgeschlagen. Bitte versuchen Sie es später noch einmal.',
    missing: 'Unter dieser Adresse gibt es keine Seite.',
    code: 'Fehler',
    reference: 'Vorgang',
    back: (name) => `Zurück zu ${name}`,
    account: 'Zu Ihrem Konto',
  },
};
