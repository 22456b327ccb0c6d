import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';

/** What an editor is like. */
export interface EditorLook {
  /** Its accessible name. */
  readonly label: string;
  /** Lets the editor's styles into the page. */
  readonly styleNonce: string;
  readonly isReadOnly: boolean;
}

/**
 * What every editor has. Tab leaves it, so that the keyboard gets everywhere; colours are classes of the page's style.
 *
 * @see WCAG 2.2, 2.1.2 No Keyboard Trap
 */
export function baseExtensions({ label, styleNonce, isReadOnly }: EditorLook): readonly Extension[] {
  return [
    EditorView.cspNonce.of(styleNonce),
    EditorView.contentAttributes.of({
      'aria-label': label,
      tabindex: '0', // what is long is scrolled by the keyboard
      ...(isReadOnly && { 'aria-readonly': 'true' }),
    }),
    EditorView.lineWrapping,
    syntaxHighlighting(classHighlighter),
    bracketMatching(),
    foldGutter(),
    drawSelection(),
    keymap.of([...searchKeymap, ...foldKeymap]),
    ...(isReadOnly ? [EditorState.readOnly.of(true)] : writable()),
    keymap.of(defaultKeymap),
  ];
}

function writable(): readonly Extension[] {
  return [
    lineNumbers(),
    history(),
    indentOnInput(),
    closeBrackets(),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap]),
  ];
}
