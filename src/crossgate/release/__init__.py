"""When and in which order changes may go out: freezes, promotion through environments, and the way back."""
