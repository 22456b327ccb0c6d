import type { CompletionWords } from './completion-words.ts';

/** The shells whose completion is known. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** One of {@link shells}. */
export type Shell = (typeof shells)[number];

/**
 * Writes what a shell reads to complete `trellis`: a table of words, and a function that follows the written line through
 * it, past the values of options. No process starts while the user types. Where nothing fits, files are offered.
 */
export function completionScript(shell: Shell, words: CompletionWords): string {
  switch (shell) {
    case 'bash':
      return `${posixTable(words)}${BASH}`;
    case 'zsh':
      return `#compdef trellis\n${posixTable(words)}${ZSH}`;
    case 'fish':
      return `${fishTable(words)}${FISH}`;
    default:
      return shell satisfies never;
  }
}

function posixTable(words: CompletionWords): string {
  const cases = [...words].map(([path, following]) => `    '${path}') echo '${following.join(' ')}' ;;\n`);
  return `_trellis_words() {\n  case "$1" in\n${cases.join('')}    *) return 1 ;;\n  esac\n}\n`;
}

function fishTable(words: CompletionWords): string {
  const cases = [...words].map(
    ([path, following]) => `    case '${path}'\n      printf '%s\\n' ${following.join(' ')}\n`,
  );
  return `function __trellis_words\n  switch "$argv[1]"\n${cases.join('')}    case '*'\n      return 1\n  end\nend\n`;
}

const BASH = `_trellis() {
  local path='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if _trellis_words "\${path:+$path }$word" >/dev/null; then path="\${path:+$path }$word"; fi
  done
  COMPREPLY=($(compgen -W "$(_trellis_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _trellis trellis
`;

const ZSH = `_trellis() {
  local trellis_path='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if _trellis_words "\${trellis_path:+$trellis_path }$word" >/dev/null; then
      trellis_path="\${trellis_path:+$trellis_path }$word"
    fi
  done
  compadd -- $(_trellis_words "$trellis_path") || _files
}
compdef _trellis trellis
`;

const FISH = `function __trellis_complete
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim "$path $word")
    if __trellis_words "$longer" >/dev/null
      set path "$longer"
    end
  end
  set -l fitting (__trellis_words "$path" | string match -- (commandline -ct)'*')
  if set -q fitting[1]
    printf '%s\\n' $fitting
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c trellis -f -a '(__trellis_complete)'
`;
