import type { PostSummaryFragment } from '../generated/graphql.ts';
import { useTexts } from '../texts/texts-context.tsx';
import type { Written } from './written.ts';

interface ConflictProps {
  /** What the graph has. */
  readonly theirs: PostSummaryFragment;
  readonly yours: Written;
  readonly onTakeTheirs: () => void;
  readonly onKeepYours: () => void;
}

/** Shows two versions of a post beside each other, for the writer to decide. */
export function Conflict({ theirs, yours, onTakeTheirs, onKeepYours }: ConflictProps) {
  const { texts } = useTexts();
  return (
    <section role="alert" className="notice notice-error conflict" aria-labelledby="conflict">
      <h2 id="conflict">{texts.conflictTitle}</h2>
      <p>{texts.conflictText}</p>
      <div className="versions">
        <Version label={texts.theirs} title={theirs.title} body={theirs.body} />
        <Version label={texts.yours} title={yours.title} body={yours.body} />
      </div>
      <div className="actions">
        <button type="button" className="button" onClick={onTakeTheirs}>
          {texts.takeTheirs}
        </button>
        <button type="button" className="button button-danger" onClick={onKeepYours}>
          {texts.keepMine}
        </button>
      </div>
    </section>
  );
}

interface VersionProps {
  readonly label: string;
  readonly title: string;
  readonly body: string;
}

function Version({ label, title, body }: VersionProps) {
  return (
    <article className="card">
      <h3>{label}</h3>
      <p>
        <strong>{title}</strong>
      </p>
      <p className="comment-body">{body}</p>
    </article>
  );
}
