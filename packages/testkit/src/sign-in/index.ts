export { Browser, type BrowserOptions } from './browser.ts';
export { CookieJar, type Cookie } from './cookie-jar.ts';
export { FormBrowser, type Departure, type FormInput, type Page } from './form-browser.ts';
export { readForm, type FormOptions, type HtmlForm } from './html-form.ts';
