export { Browser, type BrowserOptions } from './browser.ts';
export { CookieJar, type Cookie } from './cookie-jar.ts';
export { FormBrowser, type Departure, type FormInput, type Page, type Shown } from './form-browser.ts';
export { readForm, type FormOptions, type HtmlForm } from './html-form.ts';
export { passPages, TooManyPages, type Credentials } from './pass-pages.ts';
