import { useState } from 'react';
import { useTexts } from '../texts/texts-context.tsx';

interface ConfirmedButtonProps {
  readonly label: string;
  readonly children: string;
  readonly onConfirm: () => void;
}

/** A button for what can't be undone: it asks once more, in its own place. */
export function ConfirmedButton({ label, children, onConfirm }: ConfirmedButtonProps) {
  const { texts } = useTexts();
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking)
    return (
      <button
        type="button"
        className="button button-quiet"
        aria-label={label}
        onClick={() => setIsAsking(true)}
      >
        {children}
      </button>
    );
  return (
    <>
      <button type="button" className="button button-danger" autoFocus onClick={onConfirm}>
        {texts.reallyDelete}
      </button>
      <button type="button" className="button button-quiet" onClick={() => setIsAsking(false)}>
        {texts.cancel}
      </button>
    </>
  );
}
