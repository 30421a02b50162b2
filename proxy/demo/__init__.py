"""`handrail demo`: a small agent does five tasks with and without Handrail, against a scripted model on loopback.

Nothing else in Handrail knows anything in here. The model is a script, and what it shows is labelled so.
"""
