P.engine.begin();
P.begin();
