/** What stands for a secret in all that is shown: the source of a pattern, to be part of others. */
export const REDACTION_MARK = "⟦redacted:[^⟦⟧\\n]{0,100}⟧";
